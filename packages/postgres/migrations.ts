import pg from 'pg';
import { FlagmeterError, type Log, type PostgresAccess } from '#runtime';
import { ADVISORY_LOCKS } from './advisory-lock.ts';
import { clientConfig } from './pool.ts';

/**
 * Runs `work` while holding an advisory lock of Postgres, so that of two processes that migrate one waits for the other. The
 * lock ends with its connection; then this throws after the work.
 */
export async function withMigrationLock<T>(access: PostgresAccess, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...clientConfig(access), connectionTimeoutMillis: 5000 });
  client.on('error', () => undefined); // the next statement fails with it
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migrations]);
    const result = await work();
    await client.query('select').catch(throwLost);
    return result;
  } finally {
    await client.end();
  }
}

function throwLost(cause: unknown): never {
  const message =
    'the connection to Postgres that keeps other migrations out was lost; run the command again';
  throw new FlagmeterError('migration-lock', message, { cause });
}

/** Applies the Postgres migrations of a folder that are not applied yet. */
export async function migratePostgres(access: PostgresAccess, directory: string, log: Log): Promise<void> {
  const quiet = {
    debug: noop,
    info: noop,
    warn: noop,
    error: (message: string) => {
      log.error(message);
    },
  };
  // Imported here, because only migrations need it and every process would start a tenth slower.
  const { runner } = await import('node-pg-migrate');
  const applied = await runner({
    databaseUrl: clientConfig(access),
    dir: directory,
    direction: 'up',
    migrationsTable: 'migrations',
    advisoryLockMode: 'wait',
    logger: quiet,
  });
  for (const { name } of applied) log.info({ migration: name }, 'postgres migration applied');
}

function noop(): void {
  // node-pg-migrate reports every statement. We log each applied migration once, at the end.
}
