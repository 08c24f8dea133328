import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';
import type { Random } from '../builders/random.ts';
import { CLIENT_TOKEN } from '../world.ts';
import type { Entry, Ledger, SentMetric } from './ledger.ts';

/** The outcome of one HTTP request: an answer, or none. */
export type Answer = { readonly status: number; readonly retryAfter: string | null } | 'none' | 'not sent';

export type Push = {
  readonly url: string;
  readonly body: string;
  /** The key of one relay. Ingest recognises its repeated bodies and sends all its bodies to one partition. */
  readonly sender?: string;
  /** How long a relay waits: five seconds. */
  readonly timeoutMs?: number;
  readonly token?: string;
};

/** Longer than this machine may stand still, for a sender whose answer is expected. */
export const PATIENCE_MS = 60_000;

/** Sends one body as a relay does. Never rejects. */
export async function push(options: Push): Promise<Answer> {
  const { url, body, sender, timeoutMs = 5000, token = CLIENT_TOKEN } = options;
  try {
    const response = await fetch(`${url}/edge/metrics`, {
      method: 'POST',
      headers: {
        authorization: token,
        'content-type': 'application/json',
        ...(sender === undefined ? {} : { 'idempotency-key': sender }),
      },
      body,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return { status: response.status, retryAfter: response.headers.get('retry-after') };
  } catch (error) {
    return isRefusedConnection(error) ? 'not sent' : 'none';
  }
}

function isRefusedConnection(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';
}

/** The body of a batch in the ledger. */
export function bodyOf({ applications, metrics, refusedMetrics, impactMetrics }: Entry): string {
  return JSON.stringify({ applications, metrics: [...metrics, ...refusedMetrics], impactMetrics });
}

export type LoadOptions = {
  readonly ledger: Ledger;
  readonly random: Random;
  /** The current URL of the service, which may change with a restart. */
  readonly url: () => string;
  readonly relays?: number;
  /** Pause of a relay between two batches. */
  readonly pauseMs?: number;
  /** The content of a relay's next batch. */
  readonly write?: (relay: number) => Content;
};

/** Metrics to be counted, and metrics to be refused. */
export type Content = {
  readonly metrics: readonly SentMetric[];
  readonly refusedMetrics?: readonly SentMetric[];
};

export type Load = {
  /** The idempotency keys of the relays. */
  readonly senders: readonly string[];
  /** Resolves when so many more batches are acknowledged. */
  acknowledged(more: number): Promise<void>;
  /** Runs `work` while no batch is being sent: every relay knows the fate of its last one, or has given it up. */
  whilePaused<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Sends no new batches, and waits until every relay knows the fate of its last batch or has given it up. Rejects if
   * a relay got an answer that no relay may get.
   */
  stop(): Promise<void>;
};

/** A relay repeats the same bytes for this long, then gives the batch up. */
const REPEAT_FOR_MS = 27_000;

/** Relays that send one batch after another, and repeat the same bytes if they get no answer. */
export function startLoad(options: LoadOptions): Load {
  const { ledger, relays = 4 } = options;
  const running: Running = { isStopping: false, isPaused: false, sending: 0 };
  const senders = Array.from({ length: relays }, (_, relay) => `relay-${relay}`);
  const work = senders.map((sender, relay) => runRelay({ sender, relay }, options, running));
  const finished = Promise.all(work);
  inBackground(finished, () => undefined); // reported by `stop`
  return {
    senders,
    async acknowledged(more) {
      const goal = ledger.count('acknowledged') + more;
      const deadline = Date.now() + ACKNOWLEDGED_MS;
      while (ledger.count('acknowledged') < goal) {
        if (Date.now() > deadline)
          throw new Error(`${more} more batches were not acknowledged in ${ACKNOWLEDGED_MS} ms`);
        await sleep(20);
      }
    },
    async whilePaused(work) {
      running.isPaused = true;
      try {
        const deadline = Date.now() + ACKNOWLEDGED_MS;
        while (running.sending > 0) {
          if (Date.now() > deadline) throw new Error(`relays were sending for ${ACKNOWLEDGED_MS} ms`);
          await sleep(20);
        }
        return await work();
      } finally {
        running.isPaused = false;
      }
    },
    async stop() {
      running.isStopping = true;
      await finished;
    },
  };
}

const ACKNOWLEDGED_MS = 90_000;

/** What the relays of a load share. */
type Running = {
  isStopping: boolean;
  isPaused: boolean;
  /** How many of them are sending a batch. */
  sending: number;
};

async function runRelay(
  { sender, relay }: { readonly sender: string; readonly relay: number },
  { ledger, random, url, pauseMs = 150, write = () => ({ metrics: randomMetrics(random) }) }: LoadOptions,
  running: Running,
): Promise<void> {
  while (!running.isStopping) {
    if (!running.isPaused) {
      running.sending += 1;
      const { metrics, refusedMetrics } = write(relay);
      await deliver(ledger.open(metrics, refusedMetrics), sender, url);
      running.sending -= 1;
    }
    await sleep(pauseMs);
  }
}

/** Sends a batch of the ledger until it gets an answer, and records its fate. */
export async function deliver(entry: Entry, sender: string, url: () => string): Promise<void> {
  const body = bodyOf(entry);
  const giveUpAt = Date.now() + REPEAT_FOR_MS;
  let isInDoubt = false;
  while (Date.now() < giveUpAt) {
    const answer = await push({ url: url(), body, sender });
    if (answer === 'none') isInDoubt = true;
    else if (answer !== 'not sent') {
      // After a try without an answer, a rejection says nothing about that try.
      if (answer.status === 202) entry.fate = 'acknowledged';
      else if (answer.status === 503) entry.fate = isInDoubt ? 'unknown' : 'rejected';
      else throw new Error(`a batch got ${answer.status}`);
      return;
    }
    await sleep(100);
  }
  if (!isInDoubt) entry.fate = 'rejected';
}

const HOUR_MS = 3_600_000;

/** Metrics of the last two days. They use few names, so that batches share some. */
export function randomMetrics(random: Random): SentMetric[] {
  return Array.from({ length: random.between(1, 6) }, () => ({
    featureName: random.pick(['new-basket', 'dark-mode', 'search', 'checkout-v2', 'banner']),
    appName: random.pick(['web', 'ios', 'billing']),
    environment: 'production',
    timestamp: new Date(Date.now() - random.between(0, 48) * HOUR_MS).toISOString(),
    yes: random.between(0, 1000),
    no: random.between(0, 1000),
    variants: random.next() < 0.5 ? {} : { blue: random.between(1, 50), green: random.between(1, 50) },
  }));
}
