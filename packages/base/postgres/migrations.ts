import { FlagmeterError, type Log, type PostgresAccess } from '#base/runtime';
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
  const migrating = runner({
    databaseUrl: { ...clientConfig(access), application_name: MIGRATION_CONNECTION },
    dir: directory,
    direction: 'up',
    migrationsTable: 'migrations',
    // Its own lock belongs to a session, and stays behind in a pooler that shares connections between transactions.
    noLock: true,
    logger: quiet,
  });
  const applied = await migrating.catch(throwExplained);
  for (const { name } of applied) log.info({ migration: name }, 'postgres migration applied');
}

/** node-pg-migrate passes on the text of Postgres, but not its code. */
function throwExplained(cause: unknown): never {
  if (!(cause instanceof Error && /\b(must be owner of|permission denied for) /.test(cause.message)))
    throw cause;
  const message =
    'the role that migrates does not own the tables of Postgres: name their owner in DATABASE_OWNER_URL';
  throw new FlagmeterError('not-owner', message, { cause });
}

function noop(): void {
  // node-pg-migrate reports every statement. We log each applied migration once, at the end.
}
