import { type PostgresClient, inTransaction, openPostgres } from '#base/postgres';
import { FlagmeterError, type Log, type PostgresAccess } from '#base/runtime';
import { SOURCES } from './source-tables.ts';

/** Sums over all rows of a large Unleash take seconds. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** One snapshot of Unleash's database. */
export type UnleashSnapshot = PostgresClient;

/** Runs `work` in a transaction that only reads, so that all its statements see the same rows. */
export async function withUnleashSnapshot<T>(
  { access, log }: { readonly access: PostgresAccess; readonly log: Log },
  work: (snapshot: UnleashSnapshot) => Promise<T>,
): Promise<T> {
  const db = openPostgres({ ...access, maxConnections: 1, log, statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  try {
    return await inTransaction(db, async (snapshot) => {
      await snapshot.query('set transaction isolation level repeatable read, read only');
      await snapshot.query("set local timezone to 'UTC'");
      await failUnlessUnleash(snapshot);
      return work(snapshot);
    });
  } finally {
    await db.end();
  }
}

async function failUnlessUnleash(snapshot: UnleashSnapshot): Promise<void> {
  const tables = SOURCES.flatMap(({ rows, variants }) => [rows, variants]);
  const { rows } = await snapshot.query<{ missing: string }>(
    `select name as missing
     from unnest($1::text[]) as name
     where to_regclass(name) is null`,
    [tables],
  );
  const [first] = rows;
  if (first === undefined) return;
  const message = `the database has no table ${first.missing}: it must be the one of Unleash 5.8 or later`;
  throw new FlagmeterError('not-unleash', message);
}
