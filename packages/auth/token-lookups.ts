import { setTimeout as sleep } from 'node:timers/promises';
import { Room, inBackground } from '#runtime';
import type { ApiToken } from '#tokens';

/** Keys in one query, and the least time between two beginnings of queries: what bounds the rate for Postgres. */
const MAX_KEYS = 500;
const INTERVAL_MS = 50;
/** How many unknown tokens may wait, of one address and of all. Tokens that were valid before may always wait. */
const STRANGERS_WAITING = { each: 500, all: 2000 };

/** The tokens with these keys, by key; the others do not exist. */
export type FindTokens = (keys: readonly string[]) => Promise<ReadonlyMap<string, ApiToken>>;

export type TokenLookupsOptions = {
  /** Finds by the hashes of secrets in Postgres, by the secrets themselves in Unleash. */
  readonly findTokens: FindTokens;
  /** How long to pause after a query that took so long. */
  readonly pauseMs?: (tookMs: number) => number;
};

export type TokenLookups = {
  /** The token, undefined if there is none; rejects when the query fails. */
  findKnown(key: string): Promise<ApiToken | undefined>;
  /** Likewise; 'full' when too many wait of this address, or of all. */
  findStranger(key: string, address: string): Promise<ApiToken | undefined> | 'full';
  /** Tokens have changed: whoever asks from now on gets the answer of a query that has not begun yet. */
  outdate(): void;
  /** Keys that wait for their query. */
  waiting(): number;
};

type Waiting = {
  readonly found: Promise<ApiToken | undefined>;
  readonly resolve: (token: ApiToken | undefined) => void;
  readonly reject: (error: unknown) => void;
  /** Called when it no longer waits for its query to begin. */
  readonly onAsked: () => void;
};

/**
 * Gathers look-ups: one query at a time answers up to 500 of them, and the next begins 50 ms later at the earliest. A
 * flood of invented tokens costs Postgres at most 20 queries a second, and the new token of an honest relay is still
 * judged with the next few, which a limit on look-ups alone would not let through. One address may have a quarter of those that wait.
 */
export function createTokenLookups({
  findTokens,
  pauseMs = untilInterval,
}: TokenLookupsOptions): TokenLookups {
  const known = new Map<string, Waiting>();
  const strangers = new Map<string, Waiting>();
  const strangersRoom = new Room(STRANGERS_WAITING);
  let asked = new Map<string, Waiting>();
  /** Whether tokens have changed since the query for `asked` began. */
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

function untilInterval(tookMs: number): number {
  return Math.max(0, INTERVAL_MS - tookMs);
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

/** Removes up to `max` entries, of the first queue before the next. */
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
