import { createSender } from './bodies/body.ts';
import { Connection } from './connection.ts';
import type { LoadOptions } from './options.ts';
import { BodyPool } from './bodies/pool.ts';
import { createProgress } from './progress.ts';
import { type LoadResult, describeLoad } from './result.ts';
import { type Schedule, createClosedSchedule, createOpenSchedule } from './schedule.ts';
import { Tally } from './tally.ts';

const PROGRESS_MS = 1000;
const LOOK_AT_TIMEOUTS_MS = 100;
/** The pause of a connection after a failure, so that an unreachable server is not flooded. */
const REST_MS = 100;

/**
 * Sends bodies for some time and reports the outcomes. With a rate the loop is open: requests are due at fixed times. If a
 * request waited for a connection, its latency still counts from its due time (no coordinated omission). At maximum the loop is
 * closed: each connection sends the next request after the answer to the last.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const pool = new BodyPool(options, new Date());
  const run = new Run(options, pool);
  try {
    return await run.finished;
  } finally {
    run.close();
  }
}

/** A simulated relay with one connection. */
type LoadedRelay = { readonly connection: Connection; readonly sender: Buffer };

class Run {
  readonly finished: Promise<LoadResult>;
  readonly #options: LoadOptions;
  readonly #pool: BodyPool;
  readonly #schedule: Schedule;
  readonly #tally = new Tally();
  readonly #relays: readonly LoadedRelay[];
  readonly #idle: LoadedRelay[];
  readonly #timers: NodeJS.Timeout[];
  readonly #startedAt = Date.now();
  readonly #start = performance.now();
  readonly #cpu = process.cpuUsage();
  #notSent = 0;
  #isOver = false;
  #wakeUp: NodeJS.Timeout | undefined;
  #resolve: (result: LoadResult) => void = () => undefined;

  constructor(options: LoadOptions, pool: BodyPool) {
    const { url, connections, rate, seconds } = options;
    this.#options = options;
    this.#pool = pool;
    this.#schedule = rate === 'maximum' ? createClosedSchedule(seconds) : createOpenSchedule(rate, seconds);
    this.#relays = Array.from({ length: connections }, () => ({
      connection: new Connection(new URL(url)),
      sender: createSender(),
    }));
    this.#idle = [...this.#relays];
    this.finished = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.#timers = this.#startTimers();
    this.#sendDue();
  }

  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#wakeUp);
    for (const { connection } of this.#relays) connection.close();
  }

  #startTimers(): NodeJS.Timeout[] {
    const { seconds, timeoutMs, signal, onProgress } = this.#options;
    const readProgress = createProgress(this.#tally);
    const end = (): void => {
      this.#end();
    };
    signal?.addEventListener('abort', end, { once: true });
    return [
      setTimeout(end, seconds * 1000),
      setInterval(() => {
        for (const { connection } of this.#relays) connection.expire(timeoutMs);
      }, LOOK_AT_TIMEOUTS_MS),
      setInterval(() => onProgress?.(readProgress()), PROGRESS_MS),
    ];
  }

  get #elapsedMs(): number {
    return performance.now() - this.#start;
  }

  /**
   * Sends the due requests while a relay is free. It is called again when a relay becomes free, and by a timer when the next
   * request is due.
   */
  #sendDue(): void {
    clearTimeout(this.#wakeUp);
    while (!this.#isOver && this.#idle.length > 0) {
      const elapsedMs = this.#elapsedMs;
      const dueMs = this.#schedule.dueAt(this.#tally.sent, elapsedMs);
      if (dueMs === undefined) return;
      if (dueMs > elapsedMs) {
        this.#wakeUp = setTimeout(() => {
          this.#sendDue();
        }, dueMs - elapsedMs);
        return;
      }
      const relay = this.#idle.shift();
      if (relay !== undefined) this.#send(relay, dueMs);
    }
  }

  #send(relay: LoadedRelay, dueMs: number): void {
    const tally = this.#tally;
    const body = this.#pool.next();
    const sums = body.fill(tally.sent, relay.sender);
    tally.sent += 1;
    relay.connection.send(body.bytes, (outcome) => {
      this.#pool.giveBack(body);
      tally.record(outcome, sums, this.#elapsedMs - dueMs);
      const free = (): void => {
        this.#idle.push(relay);
        this.#sendDue();
      };
      if ('status' in outcome) free();
      else setTimeout(free, REST_MS);
      if (this.#isOver) this.#finishWhenAnswered();
    });
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { sent } = this.#tally;
    this.#notSent = Math.max(0, this.#schedule.countDue(this.#elapsedMs, sent) - sent);
    this.#finishWhenAnswered();
  }

  #finishWhenAnswered(): void {
    const tally = this.#tally;
    if (tally.answered < tally.sent) return;
    this.#resolve(
      describeLoad(this.#options, {
        tally,
        startedAt: this.#startedAt,
        endedAt: this.#startedAt + this.#elapsedMs,
        notSent: this.#notSent,
        cpu: process.cpuUsage(this.#cpu),
      }),
    );
  }
}
