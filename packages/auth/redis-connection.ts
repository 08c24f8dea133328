import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { type Log, type Tls, explainTrouble } from '#runtime';

export type RedisAccess = { readonly url: string; readonly tls: Tls | undefined };

/** A connection that comes back by itself; trouble is logged. */
export function connectRedis(
  { url, tls }: RedisAccess,
  log: Log,
  options: Pick<RedisOptions, 'commandTimeout' | 'maxRetriesPerRequest'>,
): Redis {
  const redis = new Redis(url, {
    ...(tls === undefined ? {} : { tls: { ...tls, ...serverName(url) } }),
    connectTimeout: 2000,
    retryStrategy: (attempt) => Math.min(100 * 2 ** attempt, 2000),
    ...options,
  });
  redis.on('error', (err: Error) => {
    log.warn({ err, reason: explainTrouble('Redis', err) }, 'redis not reached');
  });
  return redis;
}

/** Proxies in front of several servers choose by this name (SNI), which ioredis leaves out. */
function serverName(url: string): { servername?: string } {
  const host = new URL(url).hostname;
  return isIP(host) === 0 && !host.startsWith('[') ? { servername: host } : {};
}
