import pg from 'pg';
import type { Log, PostgresAccess } from '#base/runtime';
import { tracedPool } from './traced-pool.ts';

export type PostgresOptions = PostgresAccess & {
  readonly maxConnections: number;
  readonly log: Log;
  /** The name of its connections in pg_stat_activity. */
  readonly applicationName?: string;
  /** A statement that takes longer is ended. */
  readonly statementTimeoutMs?: number;
  /** The longest wait for a free or a new connection. */
  readonly connectTimeoutMs?: number;
};

/** For services, whose callers send again: a service that waits for a connection holds requests meanwhile. */
export const SERVICE_CONNECT_TIMEOUT_MS = 2000;

/** A pool in which every wait has a deadline: 10 s to connect and 10 s for a statement, unless the options set others. */
export type Postgres = pg.Pool;

/** One connection, inside a transaction or not. */
export type PostgresClient = pg.PoolClient;

export function openPostgres(options: PostgresOptions): Postgres {
  const {
    maxConnections,
    log,
    applicationName = 'flagmeter',
    statementTimeoutMs = 10_000,
    connectTimeoutMs = 10_000,
  } = options;
  const pool = new pg.Pool({
    ...clientConfig(options),
    max: maxConnections,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    // Longer than the pauses of most jobs, which would otherwise open a connection each time.
    idleTimeoutMillis: 75_000,
    statement_timeout: statementTimeoutMs,
    // The client's own deadline, for a server that does not answer at all.
    query_timeout: statementTimeoutMs + 200,
    idle_in_transaction_session_timeout: 15_000,
  });
  // The pool itself listens only while a connection is idle. An error of a connection in use would end the process.
  pool.on('connect', (client) => {
    client.on('error', (err) => {
      log.warn({ err }, 'postgres connection lost');
    });
  });
  pool.on('error', () => undefined); // the listener above has logged it
  return tracedPool(pool);
}

/** `ssl` is always set, because otherwise pg reads PGSSLMODE, which can switch verification off. */
export function clientConfig({ url, tls }: PostgresAccess): pg.ClientConfig {
  return { connectionString: url, ssl: tls === undefined ? false : { ...tls } };
}
