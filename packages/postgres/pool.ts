import pg from 'pg';
import type { Log, PostgresAccess } from '#runtime';

export type PostgresOptions = PostgresAccess & {
  readonly maxConnections: number;
  readonly log: Log;
  /** A statement that takes longer is ended. */
  readonly statementTimeoutMs?: number;
};

/** A pool whose every wait has an end: connecting within 2 s, a statement within 10 s unless told otherwise. */
export type Postgres = pg.Pool;

/** One connection, inside a transaction or not. */
export type PostgresClient = pg.PoolClient;

export function openPostgres(options: PostgresOptions): Postgres {
  const { maxConnections, log, statementTimeoutMs = 10_000 } = options;
  const pool = new pg.Pool({
    ...clientConfig(options),
    max: maxConnections,
    application_name: 'flagmeter',
    connectionTimeoutMillis: 2000,
    idleTimeoutMillis: 30_000,
    statement_timeout: statementTimeoutMs,
    // Ours, for a server that does not answer at all.
    query_timeout: statementTimeoutMs + 200,
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

/** `ssl` is always said, else pg would ask PGSSLMODE, which can switch verification off. */
export function clientConfig({ url, tls }: PostgresAccess): pg.ClientConfig {
  return { connectionString: url, ssl: tls === undefined ? false : { ...tls } };
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
    failure = await rollBack(client, error);
    throw error;
  } finally {
    client.release(failure);
  }
}

/** Why the connection must be thrown away, which rolls back as well; undefined if it is good for others. */
async function rollBack(client: pg.PoolClient, error: unknown): Promise<Error | undefined> {
  if (isUnavailable(error)) return new Error('connection lost', { cause: error });
  try {
    await client.query('rollback');
    return undefined;
  } catch (cause) {
    return new Error('rollback failed', { cause });
  }
}

// Classes 08 (connection), 40 (deadlock), 53 (resources), 57 (operator, statement timeout), 58 (disk), and 25P03 (idle too
// long), 25006 (the server became a standby), 55P03 (a lock that is held for too long).
const UNAVAILABLE_STATE = /^(08|40|53|57|58)|^(25P03|25006|55P03)$/;
const UNAVAILABLE_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/;
const NETWORK_CODE = /^(ECONN|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_|EHOST|ENET)/;

/** Whether Postgres could not be reached or did not answer in time: trouble that passes, not a fault of ours. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return (
    NETWORK_CODE.test(code) ||
    (error instanceof pg.DatabaseError && UNAVAILABLE_STATE.test(code)) ||
    UNAVAILABLE_MESSAGE.test(error.message)
  );
}

/** Whether a unique constraint refused a row. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505';
}
