import { openRedisBus } from '#base/auth';
import { reachEngines } from '#tooling/operations';
import { type Postgres, openPostgres } from '#base/postgres';
import { type Config, FlagmeterError, type Log, explainTrouble } from '#base/runtime';

export async function withPostgres<T>(
  config: Config,
  log: Log,
  work: (db: Postgres) => Promise<T>,
): Promise<T> {
  await reachEngines(config, ['Postgres'], log);
  const db = openPostgres({ ...config.postgres, log });
  try {
    return await work(db);
  } finally {
    await db.end();
  }
}

/**
 * Announces to running services that what these tokens and sessions may do has changed; it is stored already. Logs a warning if no
 * service has heard it.
 */
export async function announceRevoked(config: Config, log: Log, ids: readonly string[]): Promise<void> {
  if (config.redis === undefined) {
    log.warn(
      'changed: running services notice it within a minute. REDIS_URL is not set, and only the admin API reaches them at once',
    );
    return;
  }
  const bus = openRedisBus(config.redis, log);
  try {
    const receivers = await Promise.all(ids.map((id) => bus.announce(id)));
    if (receivers.includes(0))
      log.warn(
        'no running service has heard of the change: services that run use another Redis, and notice it within a minute',
      );
  } catch (cause) {
    throw new FlagmeterError(
      'redis',
      `changed, but not announced: running services notice it within a minute. ${explainTrouble('Redis', cause)}`,
      { cause },
    );
  } finally {
    bus.close();
  }
}
