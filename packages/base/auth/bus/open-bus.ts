import { ConfigError, type Log } from '#base/runtime';
import type { Bus } from './bus.ts';
import { openChannelBus } from './channel-bus.ts';
import type { Channel } from './messages.ts';
import { openRedisBus } from './redis-bus.ts';
import type { RedisAccess } from './redis-connection.ts';

/** Redis, if it is set. Without it a process needs the channel to its supervisor, because it would not hear of revoked tokens. */
export function openBus(redis: RedisAccess | undefined, log: Log, supervisor?: Channel): Bus {
  if (redis !== undefined) return openRedisBus(redis, log);
  if (supervisor !== undefined) return openChannelBus(supervisor);
  throw new ConfigError(
    'REDIS_URL is required for processes that flagmeter start does not run: they hear of revoked tokens from Redis',
  );
}
