import pg from 'pg';
import { FlagmeterError, type PostgresAccess } from '#base/runtime';
import { clientConfig } from './pool.ts';

/** Whether a pooler, such as PgBouncer, is in front of Postgres, and for how long it gives a client a connection. */
export type Pooling = 'none' | 'session' | 'transaction' | 'statement';

const TIMEOUT_MS = 5000;
/** Other clients may take and return the one connection that would tell, but not each time. */
const TRIES = 20;

/**
 * A pooler invents the process id that it sends to a client when it connects. If it gives the connection of one client, which is not in
 * a transaction, to another one, or gives the first one another connection, it does so between all transactions.
 */
export async function readPooling(access: PostgresAccess): Promise<Pooling> {
  const first = openClient(access);
  const second = openClient(access);
  try {
    await first.connect();
    const before = await readPid(first);
    // A member of the client that its types leave out.
    if (Reflect.get(first, 'processID') === before) return 'none';
    await second.connect();
    for (let tried = 0; tried < TRIES; tried += 1) {
      if (!(await beginsTransaction(second))) return 'statement';
      // First the connection of the second client: the pooler may have no other for the first one.
      const isShared = (await readPid(second)) === before || (await readPid(first)) !== before;
      await second.query('commit');
      if (isShared) return 'transaction';
    }
    return 'session';
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}

function openClient(access: PostgresAccess): pg.Client {
  const client = new pg.Client({
    ...clientConfig(access),
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
    application_name: 'flagmeter pooling',
  });
  client.on('error', () => undefined); // the query fails with it
  return client;
}

async function readPid(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** A pooler that gives each statement another connection refuses transactions. */
async function beginsTransaction(client: pg.Client): Promise<boolean> {
  try {
    await client.query('begin');
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError) return false;
    throw error;
  }
}

/**
 * Throws if a pooler shares connections between transactions. The programs of Postgres change settings of their session, such as the
 * search path, which others would then have.
 */
export async function requireOwnSession(access: PostgresAccess, program: string): Promise<void> {
  const pooling = await readPooling(access);
  if (pooling === 'none' || pooling === 'session') return;
  throw new FlagmeterError(
    'pooler',
    `${program} needs a session of its own, and the pooler in front of Postgres shares connections by ${pooling}: run this command with the address of Postgres itself`,
  );
}
