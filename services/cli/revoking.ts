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

/** Announces to running services that a stored token or session is revoked. */
export async function announceRevoked(config: Config, log: Log, id: string): Promise<void> {
  const revocations = openRevocations(config.redis, log);
  try {
    await revocations.announce(id);
  } catch (cause) {
    throw new FlagmeterError(
      'redis',
      'revoked, but Redis cannot be reached: running services reject it within a minute',
      { cause },
    );
  } finally {
    revocations.close();
  }
}
