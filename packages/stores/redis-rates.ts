import type { Redis } from 'ioredis';
import type { Log } from '#runtime';
import { type RedisAccess, connectRedis } from './redis-connection.ts';

/** What a token has sent in its present window. */
export type Rate = {
  readonly requests: number;
  /** Until the next window begins. */
  readonly resetMs: number;
};

export type Rates = {
  /** Counts one request of a token, for all processes; undefined while Redis cannot tell in time. */
  count(tokenId: string): Promise<Rate | undefined>;
  close(): void;
};

const WINDOW_MS = 60_000;
const DEADLINE_MS = 100;
const PAUSE_MS = 1000;

/** A window begins with the first request after the last one. A key without an end would limit for ever: so one script. */
const COUNT = `
local requests = redis.call('incr', KEYS[1])
if requests == 1 then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {requests, redis.call('pttl', KEYS[1])}`;

/**
 * Counts requests per token and window. Connects when it is first asked. After a failure one request a second finds out
 * whether Redis is back, and all others are told at once that it cannot be told.
 */
export function openRates(access: RedisAccess, log: Log, windowMs = WINDOW_MS): Rates {
  let redis: Redis | undefined;
  let isFailing = false;
  let askAgainAt = 0;
  return {
    async count(tokenId) {
      const now = Date.now();
      if (isFailing && now < askAgainAt) return undefined;
      askAgainAt = now + PAUSE_MS;
      redis ??= connectRedis(access, log, {
        commandTimeout: DEADLINE_MS,
        maxRetriesPerRequest: 0,
      });
      try {
        const reply = await redis.eval(COUNT, 1, `flagmeter:rate:${tokenId}`, windowMs);
        isFailing = false;
        const [requests, resetMs] = reply as [number, number]; // as the script returns them
        return { requests, resetMs };
      } catch (err) {
        if (!isFailing) log.warn({ err }, 'requests not counted in time; rates are not limited meanwhile');
        isFailing = true;
        // What did not answer in time may never, and commands must not gather in its queue.
        if (redis.status === 'ready') redis.disconnect(true);
        return undefined;
      }
    },
    close() {
      redis?.disconnect();
    },
  };
}
