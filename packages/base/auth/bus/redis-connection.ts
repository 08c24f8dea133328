import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';
import { type Log, type Tls, explainTrouble } from '#base/runtime';

export type RedisAccess = { readonly url: string; readonly tls: Tls | undefined };

/** Opens a connection that reconnects by itself, and logs its errors. */
export function connectRedis(
  { url, tls }: RedisAccess,
  log: Log,
  options: Pick<RedisOptions, 'connectTimeout' | 'commandTimeout' | 'maxRetriesPerRequest'>,
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

/** The TLS server name (SNI), by which a proxy in front of several servers chooses one. ioredis does not send it by default. */
function serverName(url: string): { servername?: string } {
  const host = new URL(url).hostname;
  return isIP(host) === 0 && !host.startsWith('[') ? { servername: host } : {};
}
