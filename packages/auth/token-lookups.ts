import { setTimeout as sleep } from 'node:timers/promises';
import { Room, inBackground } from '#runtime';
import type { ApiToken } from '#tokens';

/** Hashes in one query, and the least time between two beginnings of queries: what bounds the rate for Postgres. */
const MAX_HASHES = 500;
const INTERVAL_MS = 50;
/** How many unknown tokens may wait, of one address and of all. Tokens that were valid before may always wait. */
const STRANGERS_WAITING = { each: 500, all: 2000 };

export type FindTokens = (secretHashes: readonly string[]) => Promise<ReadonlyMap<string, ApiToken>>;

export type TokenLookups = {
  /** The token, undefined if there is none; rejects when Postgres fails. */
  findKnown(secretHash: string): Promise<ApiToken | undefined>;
  /** Likewise; 'full' when too many wait of this address, or of all. */
  findStranger(secretHash: string, address: string): Promise<ApiToken | undefined> | 'full';
  /** Tokens have changed: whoever asks from now on gets the answer of a query that has not begun yet. */
  outdate(): void;
  /** Hashes that wait for their query. */
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
export function createTokenLookups(findTokens: FindTokens): TokenLookups {
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
      const earliestNext = sleep(INTERVAL_MS);
      isOutdated = false;
      asked = takeFirst([known, strangers], MAX_HASHES);
      for (const { onAsked } of asked.values()) onAsked();
      await answer(asked, findTokens);
      asked = new Map();
      await earliestNext;
    }
    isRunning = false;
  };

  const findWaiting = (secretHash: string): Waiting | undefined => {
    const beingAsked = isOutdated ? undefined : asked.get(secretHash);
    return beingAsked ?? known.get(secretHash) ?? strangers.get(secretHash);
  };

  const wait = (queue: Map<string, Waiting>, secretHash: string, onAsked: () => void): Waiting => {
    const waiting = createWaiting(onAsked);
    queue.set(secretHash, waiting);
    if (!isRunning) inBackground(run());
    return waiting;
  };

  return {
    findKnown: (secretHash) => (findWaiting(secretHash) ?? wait(known, secretHash, () => undefined)).found,
    findStranger(secretHash, address) {
      const earlier = findWaiting(secretHash);
      if (earlier !== undefined) return earlier.found;
      if (!strangersRoom.take(address)) return 'full';
      return wait(strangers, secretHash, () => {
        strangersRoom.giveBack(address);
      }).found;
    },
    outdate() {
      isOutdated = true;
    },
    waiting: () => known.size + strangers.size + asked.size,
  };
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

/** Removes up to `most` entries, of the first queue before the next. */
function takeFirst(queues: readonly Map<string, Waiting>[], most: number): Map<string, Waiting> {
  const taken = new Map<string, Waiting>();
  for (const queue of queues) {
    for (const [secretHash, waiting] of queue) {
      if (taken.size === most) return taken;
      taken.set(secretHash, waiting);
      queue.delete(secretHash);
    }
  }
  return taken;
}

async function answer(asked: ReadonlyMap<string, Waiting>, findTokens: FindTokens): Promise<void> {
  try {
    const tokens = await findTokens([...asked.keys()]);
    for (const [secretHash, { resolve }] of asked) resolve(tokens.get(secretHash));
  } catch (error) {
    for (const { reject } of asked.values()) reject(error);
  }
}
