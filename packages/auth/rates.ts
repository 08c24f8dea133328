import type { Redis } from 'ioredis';
import { type Log, startJob } from '#runtime';
import { type RedisAccess, connectRedis } from './redis-connection.ts';

/** What a token has sent in its present window. */
export type Rate = {
  readonly requests: number;
  /** Until the next window begins. */
  readonly resetMs: number;
};

export type Rates = {
  /** Counts one request of a token, and adds those that other processes had counted at most a second ago. */
  count(tokenId: string): Rate;
  /** Whether the last attempt to add up over all processes succeeded. */
  areShared(): boolean;
  close(): Promise<void>;
};

/** `known` is what Redis said, or was sent; `untold` is what it was not sent yet. */
type Tally = { known: number; untold: number; resetAt: number };

const WINDOW_MS = 60_000;
const DEADLINE_MS = 500;
/** Between two attempts to add up. */
const PAUSE_MS = 1000;

/** A window begins with the first request after the last one. A key without an end would limit for ever: so one script. */
const ADD_UP = `
local requests = redis.call('incrby', KEYS[1], ARGV[1])
if requests == tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[2]) end
return {requests, redis.call('pttl', KEYS[1])}`;

/**
 * Counts requests per token and window in this process, and adds them up with those of other processes through Redis once a
 * second: no request waits for Redis. While Redis is away each process limits for itself. What Redis may have received is
 * not sent again, because no token may be rejected for what it did not send.
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
    const [requests, resetMs] = reply as [number, number]; // as the script returns them
    tally.known = requests;
    tally.resetAt = Date.now() + resetMs;
  };

  const job = startJob({ name: 'requests of tokens added up', pauseMs: PAUSE_MS, log }, async () => {
    const now = Date.now();
    for (const [tokenId, { resetAt }] of tallies) if (resetAt <= now) tallies.delete(tokenId);
    const counted = [...tallies].filter(([, { untold }]) => untold > 0);
    if (counted.length === 0) return;
    areShared = false;
    try {
      await Promise.all(counted.map(([tokenId, tally]) => addUp(tokenId, tally)));
    } catch (error) {
      // What did not answer in time may never, and commands must not gather in its queue.
      if (redis?.status === 'ready') redis.disconnect(true);
      throw error;
    }
    areShared = true;
  });

  return {
    count(tokenId) {
      const now = Date.now();
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
