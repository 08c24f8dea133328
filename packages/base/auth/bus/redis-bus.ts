import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Log, engineError, inBackground } from '#base/runtime';
import type { Bus, Rate, RevocationListener } from './bus.ts';
import { type RedisAccess, connectRedis } from './redis-connection.ts';

const REVOKED_CHANNEL = 'flagmeter:token-revoked';
/** Holds the last announced id for a minute; nobody reads it. A replica, whose announcements do not reach the clients of its primary, refuses to write it. */
const ANNOUNCED_KEY = 'flagmeter:announced';
const ANNOUNCED_SECONDS = 60;
const SUBSCRIBE_AGAIN_MS = 1000;

const ANNOUNCING = { commandTimeout: 2000, maxRetriesPerRequest: 1 } as const;
const COUNTING = { commandTimeout: 500, maxRetriesPerRequest: 0 } as const;

/**
 * The first request after a window opens the next one. It is one script, because a key that never expires would limit its token
 * for ever.
 */
const ADD_UP = `
local requests = redis.call('incrby', KEYS[1], ARGV[1])
if requests == tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[2]) end
return {requests, redis.call('pttl', KEYS[1])}`;

export function openRedisBus(access: RedisAccess, log: Log): Bus {
  const connections: Redis[] = [];
  const connect = (options: typeof ANNOUNCING | typeof COUNTING): Redis => {
    const redis = connectRedis(access, log, options);
    connections.push(redis);
    return redis;
  };
  let publisher: Redis | undefined;
  let counter: Redis | undefined;
  const listeners: RevocationListener[] = [];
  return {
    async announce(tokenId) {
      for (const listener of listeners) listener.onRevoked(tokenId);
      publisher ??= connect(ANNOUNCING);
      try {
        const [receivers] = await Promise.all([
          publisher.publish(REVOKED_CHANNEL, tokenId),
          publisher.set(ANNOUNCED_KEY, tokenId, 'EX', ANNOUNCED_SECONDS),
        ]);
        return receivers;
      } catch (cause) {
        throw engineError('Redis', cause);
      }
    },
    subscribe(listener) {
      listeners.push(listener);
      const redis = connect(ANNOUNCING);
      redis.on('ready', () => {
        inBackground(subscribeTo(redis, listener, log));
      });
      redis.on('close', () => {
        listener.onLost();
      });
      redis.on('message', (_channel, tokenId: string) => {
        listener.onRevoked(tokenId);
      });
    },
    addUp(requests, windowMs) {
      counter ??= connect(COUNTING);
      return addUp(counter, requests, windowMs);
    },
    close() {
      for (const redis of connections) redis.disconnect();
    },
  };
}

async function addUp(
  redis: Redis,
  requests: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<ReadonlyMap<string, Rate>> {
  const add = async ([tokenId, added]: readonly [string, number]): Promise<[string, Rate]> => {
    const reply = await redis.eval(ADD_UP, 1, `flagmeter:rate:${tokenId}`, added, windowMs);
    const [sum, resetMs] = reply as [number, number]; // the result of the script
    return [tokenId, { requests: sum, resetMs }];
  };
  try {
    return new Map(await Promise.all([...requests].map(add)));
  } catch (error) {
    // A command without an answer in time may never get one, and further commands would gather in the queue of the client.
    if (redis.status === 'ready') redis.disconnect(true);
    throw error;
  }
}

/**
 * Retries until it is subscribed or the connection has ended; each new connection calls it again. A process that is not
 * subscribed would accept revoked tokens.
 */
async function subscribeTo(redis: Redis, listener: RevocationListener, log: Log): Promise<void> {
  while (redis.status === 'ready') {
    try {
      await redis.subscribe(REVOKED_CHANNEL);
      listener.onGap();
      return;
    } catch (err) {
      log.warn({ err }, 'redis subscription failed');
    }
    await sleep(SUBSCRIBE_AGAIN_MS, undefined, { ref: false });
  }
}
