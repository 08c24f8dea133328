import type { Log } from '#base/runtime';
import { type RedisAccess, connectRedis } from './redis-connection.ts';

/** Reads facts about the Redis server. Each call rejects with the reason if Redis cannot be used. */
export type RedisProbe = {
  readonly readVersion: () => Promise<string>;
  /** The server's clock, in epoch milliseconds. */
  readonly readTimeMs: () => Promise<number>;
  /** Whether it copies another server. Its clients can neither write nor announce anything to those of the other one. */
  readonly isReplica: () => Promise<boolean>;
  readonly close: () => void;
};

/** Whoever asks only once waits as long as for other engines, so that a busy machine is not a broken Redis. */
const PATIENT = { connectTimeout: 10_000, commandTimeout: 10_000, maxRetriesPerRequest: 0 } as const;

export function openRedisProbe(access: RedisAccess, log: Log): RedisProbe {
  const redis = connectRedis(access, log, PATIENT);
  let trouble: Error | undefined;
  redis.on('error', (error: Error) => {
    trouble = error;
  });
  const ask = async <T>(request: () => Promise<T>): Promise<T> => {
    try {
      return await request();
    } catch (error) {
      throw trouble ?? error; // the error of the connection explains more than that of the request
    }
  };
  return {
    readVersion: () =>
      ask(async () => /^redis_version:(.+?)\r?$/m.exec(await redis.info('server'))?.[1] ?? 'unknown'),
    isReplica: () => ask(async () => /^role:slave\r?$/m.test(await redis.info('replication'))),
    readTimeMs: () =>
      ask(async () => {
        const [seconds, microseconds] = await redis.time();
        return Number(seconds) * 1000 + Number(microseconds) / 1000;
      }),
    close: () => {
      redis.disconnect();
    },
  };
}
