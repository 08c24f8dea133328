import pg from 'pg';
import type { PostgresAccess } from '#base/runtime';
import { clientConfig } from '../pool/pool.ts';

export type AdvisoryLock = {
  /** Why the lock is lost: its connection ended. Undefined while it is held. */
  lost(): Error | undefined;
};

/** The number of each lock. They are in one place, because two uses of one number would exclude each other. */
export const ADVISORY_LOCKS = {
  migrations: 4_242_001,
  operator: 4_242_002,
  catalogue: 4_242_003,
  notifications: 4_242_004,
  verdicts: 4_242_005,
} as const;

export type LockName = keyof typeof ADVISORY_LOCKS;

/** A lock that nobody else holds; otherwise `holder` describes the connection that holds it. */
export type LockOutcome<T> = { readonly result: T } | { readonly holder: string };

/**
 * Runs `work` while holding an advisory lock of Postgres, on its own connection, which has the name of the lock. Does not work if another
 * process holds the lock.
 */
export function withAdvisoryLock<T>(
  access: PostgresAccess,
  lock: LockName,
  work: (lock: AdvisoryLock) => Promise<T>,
): Promise<LockOutcome<T>> {
  return inLockTransaction(access, lock, async (client, lost) => {
    if (await tryLock(client, lock)) return { result: await work({ lost }) };
    return { holder: await describeHolder(client, lock) };
  });
}

/** No query on the connection of a lock may take longer. */
const QUERY_TIMEOUT_MS = 5000;

/**
 * Opens the connection of a lock, and a transaction in it. A lock of the transaction also works behind a pooler that gives each transaction
 * another connection; a lock of the session would stay behind on one that others use. Between queries the transaction has no
 * snapshot, so VACUUM does not wait for it, and Postgres must not end it for being idle.
 */
export async function inLockTransaction<T>(
  access: PostgresAccess,
  lock: LockName,
  work: (client: pg.Client, lost: () => Error | undefined) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...clientConfig(access),
    connectionTimeoutMillis: QUERY_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: `flagmeter ${lock}`,
  });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(`
      select set_config(name, '0', true)
      from pg_settings
      where name in ('idle_in_transaction_session_timeout', 'transaction_timeout')`);
    const result = await work(client, () => lost);
    // A pooler closes a connection whose client leaves within a transaction. If the lock was lost, its owner has noticed.
    await client.query('commit').catch(() => undefined);
    return result;
  } finally {
    await client.end();
  }
}

/** Takes a lock for the transaction of the client. Returns false if another one holds it. */
export async function tryLock(client: pg.Client, lock: LockName): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    ADVISORY_LOCKS[lock],
  ]);
  return rows[0]?.locked === true;
}

/** Names the connection that holds a lock, so that an operator can find and end it. */
export async function describeHolder(client: pg.Client, lock: LockName): Promise<string> {
  await client.query(FORGET_ACTIVITY);
  const { rows } = await client.query<Connection>(
    `select ${CONNECTION}
     from pg_locks
     join pg_stat_activity using (pid)
     where locktype = 'advisory'
       and classid = 0
       and objid = $1
       and granted
       and pg_locks.database = (select oid from pg_database where datname = current_database())`,
    [ADVISORY_LOCKS[lock]],
  );
  return rows[0] === undefined ? 'a connection that has just ended' : describeConnection(rows[0]);
}

/** Within a transaction, Postgres shows the same activity until it is told to forget it. */
export const FORGET_ACTIVITY = 'select pg_stat_clear_snapshot()';

export type Connection = {
  readonly pid: number;
  readonly application: string;
  readonly role: string | null;
  readonly address: string | null;
  readonly since: Date | null;
};

/** The columns of a `Connection` in pg_stat_activity. Postgres shows the last two only for connections of the same role. */
export const CONNECTION = `
  pg_stat_activity.pid, application_name as application, usename as role, host(client_addr) as address,
  xact_start as since`;

export function describeConnection({ pid, application, role, address, since }: Connection): string {
  const parts = [
    application === '' ? 'no name' : application,
    ...(role === null ? [] : [`role ${role}`]),
    ...(address === null ? [] : [`from ${address}`]),
    ...(since === null ? [] : [`since ${since.toISOString()}`]),
  ];
  return `the connection with pid ${pid} (${parts.join(', ')})`;
}
