import { setTimeout as sleep } from 'node:timers/promises';
import { Room, inBackground } from '#base/runtime';
import type { ApiToken } from '#base/tokens';

/**
 * The maximum of keys in one query, and the minimum time between the starts of two queries. Both together bound the load on
 * Postgres.
 */
const MAX_KEYS = 500;
const INTERVAL_MS = 50;
/** The maximum number of unknown tokens that wait, per address and in total. Tokens that were valid before may always wait. */
const STRANGERS_WAITING = { each: 500, all: 2000 };

/** Returns the tokens with these keys, by key. A key that is missing in the result has no token. */
export type FindTokens = (keys: readonly string[]) => Promise<ReadonlyMap<string, ApiToken>>;

export type TokenLookupsOptions = {
  /** The keys are hashes of secrets for Postgres, and the secrets themselves for Unleash. */
  readonly findTokens: FindTokens;
  /** Returns the pause after a query that took this long. */
  readonly pauseMs?: (durationMs: number) => number;
};

export type TokenLookups = {
  /** Returns the token, undefined if there is none. Rejects if the query fails. */
  findKnown(key: string): Promise<ApiToken | undefined>;
  /** As `findKnown`; returns 'full' if too many tokens wait, of this address or in total. */
  findStranger(key: string, address: string): Promise<ApiToken | undefined> | 'full';
  /** Call it after tokens have changed: later calls get the answer of a query that starts after this. */
  outdate(): void;
  /** The number of keys that wait for their query. */
  waiting(): number;
};

type Waiting = {
  readonly found: Promise<ApiToken | undefined>;
  readonly resolve: (token: ApiToken | undefined) => void;
  readonly reject: (error: unknown) => void;
  /** Called when its query starts, so that it no longer waits. */
  readonly onAsked: () => void;
};

/**
 * Groups look-ups: one query answers up to 500 of them, and the next query starts at least 50 ms after the previous one. A
 * flood of invented tokens costs Postgres at most 20 queries a second. A new valid token is answered by one of the next few
 * queries; a rate limit on look-ups would reject it. One address may have a quarter of the tokens that wait.
 */
export function createTokenLookups({
  findTokens,
  pauseMs = untilInterval,
}: TokenLookupsOptions): TokenLookups {
  const known = new Map<string, Waiting>();
  const strangers = new Map<string, Waiting>();
  const strangersRoom = new Room(STRANGERS_WAITING);
  let asked = new Map<string, Waiting>();
  /** Whether tokens have changed since the query for `asked` started. */
  let isOutdated = false;
  let isRunning = false;

  const run = async (): Promise<void> => {
    isRunning = true;
    while (known.size + strangers.size > 0) {
      const startedAt = performance.now();
      isOutdated = false;
      asked = removeFirst([known, strangers], MAX_KEYS);
      for (const { onAsked } of asked.values()) onAsked();
      await answer(asked, findTokens);
      asked = new Map();
      await sleep(pauseMs(performance.now() - startedAt));
    }
    isRunning = false;
  };

  const findWaiting = (key: string): Waiting | undefined => {
    const beingAsked = isOutdated ? undefined : asked.get(key);
    return beingAsked ?? known.get(key) ?? strangers.get(key);
  };

  const wait = (queue: Map<string, Waiting>, key: string, onAsked: () => void): Waiting => {
    const waiting = createWaiting(onAsked);
    queue.set(key, waiting);
    if (!isRunning) inBackground(run());
    return waiting;
  };

  return {
    findKnown: (key) => (findWaiting(key) ?? wait(known, key, () => undefined)).found,
    findStranger(key, address) {
      const earlier = findWaiting(key);
      if (earlier !== undefined) return earlier.found;
      if (!strangersRoom.reserve(address)) return 'full';
      return wait(strangers, key, () => {
        strangersRoom.giveBack(address);
      }).found;
    },
    outdate() {
      isOutdated = true;
    },
    waiting: () => known.size + strangers.size + asked.size,
  };
}

function untilInterval(durationMs: number): number {
  return Math.max(0, INTERVAL_MS - durationMs);
}

function createWaiting(onAsked: () => void): Waiting {
  let resolve: Waiting['resolve'] = () => undefined;
  let reject: Waiting['reject'] = () => undefined;
  const found = new Promise<ApiToken | undefined>((onFound, onFailure) => {
    resolve = onFound;
    reject = onFailure;
  });
  return { found, resolve, reject, onAsked };
}

/** Removes up to `max` entries, starting with the first queue. */
function removeFirst(queues: readonly Map<string, Waiting>[], max: number): Map<string, Waiting> {
  const removed = new Map<string, Waiting>();
  for (const queue of queues) {
    for (const [key, waiting] of queue) {
      if (removed.size === max) return removed;
      removed.set(key, waiting);
      queue.delete(key);
    }
  }
  return removed;
}

async function answer(asked: ReadonlyMap<string, Waiting>, findTokens: FindTokens): Promise<void> {
  try {
    const tokens = await findTokens([...asked.keys()]);
    for (const [key, { resolve }] of asked) resolve(tokens.get(key));
  } catch (error) {
    for (const { reject } of asked.values()) reject(error);
  }
}
