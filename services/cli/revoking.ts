import { openRevocations } from '#auth';
import { reachEngines } from '#operations';
import { type Postgres, openPostgres } from '#postgres';
import { type Config, FlagmeterError, type Log } from '#runtime';

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

/** Announces to running services that what these tokens and sessions may do has changed; it is stored already. */
export async function announceRevoked(config: Config, log: Log, ids: readonly string[]): Promise<void> {
  const revocations = openRevocations(config.redis, log);
  try {
    await Promise.all(ids.map((id) => revocations.announce(id)));
  } catch (cause) {
    throw new FlagmeterError(
      'redis',
      'changed, but Redis cannot be reached: running services notice it within a minute',
      { cause },
    );
  } finally {
    revocations.close();
  }
}
