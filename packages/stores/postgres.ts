import pg from 'pg';
import type { Log } from '#runtime';

export type PostgresOptions = { readonly url: string; readonly maxConnections: number; readonly log: Log };

/** A pool whose every wait has an end: connecting within 2 s, a statement within 10 s. */
export type Postgres = pg.Pool;

export function openPostgres({ url, maxConnections, log }: PostgresOptions): Postgres {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    application_name: 'flagmeter',
    connectionTimeoutMillis: 2000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 10_000,
    query_timeout: 11_000,
    idle_in_transaction_session_timeout: 15_000,
  });
  // The pool itself listens only while a connection is idle: one that dies in use would end the process.
  pool.on('connect', (client) => {
    client.on('error', (err) => {
      log.warn({ err }, 'postgres connection lost');
    });
  });
  pool.on('error', () => undefined); // the same connection, told above
  return pool;
}

/** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
export async function inTransaction<T>(
  db: Postgres,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await db.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error('transaction failed', { cause: error });
    await client.query('rollback').catch(() => undefined); // the connection is thrown away just below
    throw error;
  } finally {
    client.release(failure);
  }
}
