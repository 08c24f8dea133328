import { type Bus, openRedisBus } from '#base/auth';
import type { Config, Log } from '#base/runtime';

type Configured = { readonly config: Pick<Config, 'redis'>; readonly log: Log };

/** The bus of another process that uses the same Redis. */
export function redisBusOf({ config: { redis }, log }: Configured): Bus {
  if (redis === undefined) throw new TypeError('REDIS_URL is not set');
  return openRedisBus(redis, log);
}
