import { type Actor, type Schedule, createActor } from './time/schedule.ts';

/** Why a call has no answer. Only with `refused` is it certain that nothing was sent. */
export class NetworkError extends Error {
  readonly kind: 'refused' | 'reset' | 'timeout';

  constructor(kind: NetworkError['kind']) {
    super(`the call was ${kind}`);
    this.kind = kind;
  }
}

/** What may happen to a call to an engine, as probabilities. */
export type Conditions = {
  requestLost: number;
  answerLost: number;
  /** The request travels for up to twice the time that its caller waits. */
  late: number;
  /** Only requests with this label do. */
  lateOnly: string | undefined;
  /** The longest way of a request or an answer. */
  latencyMs: number;
};

const GOOD: Conditions = { requestLost: 0, answerLost: 0, late: 0, lateOnly: undefined, latencyMs: 2 };

type EngineOptions = {
  readonly onKill?: () => void;
  /** Whether it runs production code. */
  readonly hasPromises?: boolean;
};

/** A server: killed, it loses its calls and its memory; frozen, it answers when it resumes. */
export class Engine {
  readonly name: string;
  actor: Actor;
  isUp = true;
  readonly conditions: Conditions = { ...GOOD };
  /** Calls without an answer. */
  readonly open = new Set<() => void>();
  /** True time of the last start. */
  upSince: number;
  readonly #schedule: Schedule;
  readonly #options: EngineOptions;

  constructor(name: string, schedule: Schedule, options: EngineOptions = {}) {
    this.name = name;
    this.#schedule = schedule;
    this.#options = options;
    this.upSince = schedule.now;
    this.actor = createActor(name, { hasPromises: options.hasPromises ?? false });
  }

  kill(): void {
    if (!this.isUp) return;
    this.isUp = false;
    this.actor.isAlive = false;
    this.#options.onKill?.();
    for (const reset of this.open) reset();
    this.open.clear();
  }

  start(): void {
    if (this.isUp) return;
    this.isUp = true;
    this.upSince = this.#schedule.now;
    this.actor = createActor(this.name, {
      hasPromises: this.#options.hasPromises ?? false,
      clockAheadMs: this.actor.clockAheadMs,
    });
  }

  /** The network is as it should be. */
  heal(): void {
    Object.assign(this.conditions, GOOD);
  }
}

/** How a server answers a call: at once or later, once. */
export type Reply<T> = { readonly resolve: (value: T) => void; readonly reject: (error: Error) => void };

/** The time until which the latest request of a connection travels. */
export type Connection = { arrivesAt: number };

type Call<T> = {
  readonly label: string;
  readonly timeoutMs: number;
  /** Requests of one connection arrive in their order. Without it each request has its own. */
  readonly connection?: Connection;
  /** Runs at the server. */
  readonly serve: (reply: Reply<T>) => void;
};

export class Network {
  readonly #schedule: Schedule;
  readonly #random: () => number;
  readonly #wire = createActor('network', { hasPromises: false });

  constructor(schedule: Schedule, random: () => number) {
    this.#schedule = schedule;
    this.#random = random;
  }

  /** Calls an engine for the present actor. Rejects with a NetworkError, or with what the engine replied. */
  call<T>(engine: Engine, { label, timeoutMs, serve, connection }: Call<T>): Promise<T> {
    const schedule = this.#schedule;
    const caller = schedule.current;
    const { requestLost, answerLost, late, lateOnly = label } = engine.conditions;
    caller.waiting += 1;
    caller.mostWaiting = Math.max(caller.mostWaiting, caller.waiting);
    return new Promise<T>((resolve, reject) => {
      let isOver = false;
      const end = (delayMs: number, what: string, action: () => void): void => {
        if (isOver) return;
        isOver = true;
        engine.open.delete(reset);
        schedule.after(caller, delayMs, {
          label,
          detail: what,
          action: () => {
            timeout.isCancelled = true;
            caller.waiting -= 1;
            action();
          },
        });
      };
      const fail = (kind: NetworkError['kind']): void => {
        end(this.#latency(engine), kind, () => {
          reject(new NetworkError(kind));
        });
      };
      const reset = (): void => {
        fail('reset');
      };
      const timeout = schedule.after(caller, timeoutMs, {
        label,
        detail: 'timeout',
        action: () => {
          if (isOver) return;
          isOver = true;
          caller.waiting -= 1;
          engine.open.delete(reset);
          reject(new NetworkError('timeout'));
        },
      });
      if (!engine.isUp) {
        fail('refused');
        return;
      }
      engine.open.add(reset);
      if (this.#random() < requestLost) return;
      const isAnswerLost = this.#random() < answerLost;
      const isLate = this.#random() < late && label === lateOnly;
      const travelMs = isLate ? timeoutMs * 2 * this.#random() : this.#latency(engine);
      const delayMs = Math.max(travelMs, (connection?.arrivesAt ?? 0) - schedule.now);
      if (connection !== undefined) connection.arrivesAt = schedule.now + delayMs;
      const answer = (what: string, action: () => void): void => {
        if (!isAnswerLost) end(this.#latency(engine), what, action);
      };
      const arrive = (): void => {
        serve({
          resolve: (value) => {
            answer('answered', () => {
              resolve(value);
            });
          },
          reject: (error) => {
            answer('failed', () => {
              reject(error);
            });
          },
        });
      };
      if (isLate) this.#deliverLate(engine, delayMs, { label, action: arrive });
      else schedule.after(engine.actor, delayMs, { label, action: arrive });
    });
  }

  /** A proxy holds the request, and delivers it to the server that runs then. */
  #deliverLate(
    engine: Engine,
    delayMs: number,
    event: { readonly label: string; readonly action: () => void },
  ): void {
    this.#schedule.after(this.#wire, delayMs, {
      label: 'a late request arrives',
      action: () => {
        if (engine.isUp) this.#schedule.after(engine.actor, 0, event);
      },
    });
  }

  #latency({ conditions }: Engine): number {
    return 0.1 + this.#random() * conditions.latencyMs;
  }
}
