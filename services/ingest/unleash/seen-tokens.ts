import { Counter, type Log, type Registry, Room, createRecent } from '#base/runtime';
import { type Unleash, pushBatch } from '#unleash/client';

/** Passes on which tokens relays have seen, so that Unleash does not show those of SDKs behind relays as unused. */
export type SeenTokens = {
  /** `relaySecret` is the token of the relay that reports the others. */
  note(secrets: readonly string[], relaySecret: string): void;
  /** Tries once more to send what is left. */
  stop(): Promise<void>;
};

export type SeenTokensOptions = {
  readonly unleash: Unleash;
  readonly registry: Registry;
  readonly log: Log;
};

const PAUSE_MS = 10_000;
/** Unleash shows the time of the last use to a minute. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 20_000;
/** Further ones are left out until the next post: of one relay's token, and of all. */
const MAX_WAITING = { each: 2500, all: 10_000 };
/** 500 characters at most, so that a body stays below the limit of Unleash. */
const TOKENS_PER_POST = 150;

/**
 * Best effort: a secret is sent at most once a minute, and given up if Unleash does not accept it. Secrets stay in memory, because
 * nothing may store or log them (docs/develop/decisions/unleash.md#108-send-seen-tokens-from-the-memory-of-ingest).
 */
export function createSeenTokens({ unleash, registry, log }: SeenTokensOptions): SeenTokens {
  const known = createRecent<true>({ maxSize: MAX_KNOWN, maxAgeMs: KNOWN_MS });
  const outcomes = createCounter(registry);
  /** The secrets of relays, by the secret that each has seen. */
  let waiting = new Map<string, string>();
  let room = new Room(MAX_WAITING);
  let timer: NodeJS.Timeout | undefined;
  let sending = Promise.resolve();
  const stopping = new AbortController();

  const send = async (): Promise<void> => {
    const secrets = waiting;
    waiting = new Map();
    room = new Room(MAX_WAITING);
    timer = undefined;
    for (const [relaySecret, seen] of groupByRelay(secrets))
      for (let at = 0; at < seen.length; at += TOKENS_PER_POST)
        await post(relaySecret, seen.slice(at, at + TOKENS_PER_POST));
  };
  const post = async (secret: string, seenTokens: readonly string[]): Promise<void> => {
    const body = { applications: [], metrics: [], seenTokens };
    const { outcome } = await pushBatch(unleash, { secret, body, signal: stopping.signal });
    outcomes.inc({ outcome: outcome === 'accepted' ? 'sent' : 'failed' }, seenTokens.length);
  };
  const sendAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier;
    await send().catch((err: unknown) => {
      log.warn({ err }, 'seen tokens not sent to Unleash');
    });
  };

  return {
    note(secrets, relaySecret) {
      for (const secret of secrets) {
        if (known.has(secret)) continue;
        if (!room.reserve(relaySecret)) {
          outcomes.inc({ outcome: 'left_out' });
          continue;
        }
        known.set(secret, true);
        waiting.set(secret, relaySecret);
      }
      if (waiting.size === 0) return;
      timer ??= setTimeout(() => {
        sending = sendAfter(sending);
      }, PAUSE_MS).unref();
    },
    async stop() {
      clearTimeout(timer);
      const deadline = setTimeout(() => {
        stopping.abort();
      }, LAST_POST_MS);
      await sendAfter(sending);
      clearTimeout(deadline);
    },
  };
}

const LAST_POST_MS = 2000;

function groupByRelay(waiting: ReadonlyMap<string, string>): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [secret, relaySecret] of waiting) {
    const group = groups.get(relaySecret) ?? [];
    groups.set(relaySecret, group);
    group.push(secret);
  }
  return groups;
}

function createCounter(registry: Registry) {
  const counter = new Counter({
    name: 'flagmeter_ingest_seen_tokens_total',
    help: 'Tokens that relays have seen, by outcome: sent to Unleash, failed, or left out because too many waited',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['sent', 'failed', 'left_out']) counter.inc({ outcome }, 0);
  return counter;
}
