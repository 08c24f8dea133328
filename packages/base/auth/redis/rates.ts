import type { Redis } from 'ioredis';
import { type Log, startJob } from '#base/runtime';
import { type RedisAccess, connectRedis } from './redis-connection.ts';

/** The number of requests of a token in the current window. */
export type Rate = {
  readonly requests: number;
  /** The time until the next window begins. */
  readonly resetMs: number;
};

export type Rates = {
  /** Counts one request of a token. The result includes the requests in other processes, at most a second old. */
  count(tokenId: string): Rate;
  /** Whether the last synchronisation with Redis succeeded. */
  areShared(): boolean;
  close(): Promise<void>;
};

/** `known` was read from Redis or sent to it; `untold` was not sent yet. */
type Tally = { known: number; untold: number; resetAt: number };

const WINDOW_MS = 60_000;
const DEADLINE_MS = 500;
/** The pause between two synchronisations. */
const PAUSE_MS = 1000;

/**
 * The first request after a window opens the next one. It is one script, because a key that never expires would limit its token
 * for ever.
 */
const ADD_UP = `
local requests = redis.call('incrby', KEYS[1], ARGV[1])
if requests == tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[2]) end
return {requests, redis.call('pttl', KEYS[1])}`;

/**
 * Counts requests per token and window in this process, and exchanges the counts with other processes through Redis once a
 * second: no request waits for Redis. While Redis is unreachable, each process limits on its own. Counts that Redis may have received
 * are not sent again, because a token must not be rejected for requests that it did not send.
 */
export function openRates(access: RedisAccess, log: Log, windowMs = WINDOW_MS): Rates {
  const tallies = new Map<string, Tally>();
  let redis: Redis | undefined;
  let areShared = true;

  const addUp = async (tokenId: string, tally: Tally): Promise<void> => {
    const { untold } = tally;
    tally.known += untold;
    tally.untold = 0;
    redis ??= connectRedis(access, log, { commandTimeout: DEADLINE_MS, maxRetriesPerRequest: 0 });
    const reply = await redis.eval(ADD_UP, 1, `flagmeter:rate:${tokenId}`, untold, windowMs);
    const [requests, resetMs] = reply as [number, number]; // the result of the script
    tally.known = requests;
    tally.resetAt = performance.now() + resetMs;
  };

  const job = startJob({ name: 'rate synchronisation', pauseMs: PAUSE_MS, log }, async () => {
    const now = performance.now();
    for (const [tokenId, { resetAt }] of tallies) if (resetAt <= now) tallies.delete(tokenId);
    const counted = [...tallies].filter(([, { untold }]) => untold > 0);
    if (counted.length === 0) return;
    areShared = false;
    try {
      await Promise.all(counted.map(([tokenId, tally]) => addUp(tokenId, tally)));
    } catch (error) {
      // A command without an answer in time may never get one, and further commands would gather in the queue of the client.
      if (redis?.status === 'ready') redis.disconnect(true);
      throw error;
    }
    areShared = true;
  });

  return {
    count(tokenId) {
      const now = performance.now();
      let tally = tallies.get(tokenId);
      if (tally === undefined || tally.resetAt <= now) {
        tally = { known: 0, untold: 0, resetAt: now + windowMs };
        tallies.set(tokenId, tally);
      }
      tally.untold += 1;
      return { requests: tally.known + tally.untold, resetMs: tally.resetAt - now };
    },
    areShared: () => areShared,
    async close() {
      await job.stop();
      redis?.disconnect();
    },
  };
}
