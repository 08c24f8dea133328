import pg from 'pg';
import type { PostgresAccess } from '#runtime';
import { clientConfig } from './pool.ts';

export type AdvisoryLock = {
  /** Why the lock is lost: its connection ended. Undefined while it is held. */
  lost(): Error | undefined;
};

type LockOptions = { readonly id: number; readonly holder: string };

/**
 * Runs `work` while holding an advisory lock of Postgres, on its own connection. Gives undefined at once, without
 * working, when another process holds the lock.
 */
export async function withAdvisoryLock<T>(
  access: PostgresAccess,
  { id, holder }: LockOptions,
  work: (lock: AdvisoryLock) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const client = new pg.Client({
    ...clientConfig(access),
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
    keepAlive: true,
    application_name: holder,
  });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      id,
    ]);
    return rows[0]?.locked === true ? { result: await work({ lost: () => lost }) } : undefined;
  } finally {
    await client.end();
  }
}
