import type { Log, PostgresAccess } from '#base/runtime';
import { clientConfig } from './pool/pool.ts';
import { MIGRATION_CONNECTION } from './locks/migration-lock.ts';

/** Applies the Postgres migrations of a folder that are not applied yet. Run it with the lock of migrations. */
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
    databaseUrl: { ...clientConfig(access), application_name: MIGRATION_CONNECTION },
    dir: directory,
    direction: 'up',
    migrationsTable: 'migrations',
    // Its own lock belongs to a session, and stays behind in a pooler that shares connections between transactions.
    noLock: true,
    logger: quiet,
  });
  for (const { name } of applied) log.info({ migration: name }, 'postgres migration applied');
}

function noop(): void {
  // node-pg-migrate reports every statement. We log each applied migration once, at the end.
}
