import pg from 'pg';
import type { PostgresAccess } from '#runtime';
import { clientConfig } from './pool.ts';

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
  /** Taken by the trigger of the table audit_entries. */
  audit: 4_242_005,
} as const;

/**
 * Runs `work` while holding an advisory lock of Postgres, on its own connection, which has the name of the lock. Gives undefined at once, without
 * working, when another process holds the lock.
 */
export async function withAdvisoryLock<T>(
  access: PostgresAccess,
  lock: keyof typeof ADVISORY_LOCKS,
  work: (lock: AdvisoryLock) => Promise<T>,
): Promise<{ readonly result: T } | undefined> {
  const client = new pg.Client({
    ...clientConfig(access),
    connectionTimeoutMillis: 5000,
    query_timeout: 5000,
    keepAlive: true,
    application_name: `flagmeter ${lock}`,
  });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      ADVISORY_LOCKS[lock],
    ]);
    return rows[0]?.locked === true ? { result: await work({ lost: () => lost }) } : undefined;
  } finally {
    await client.end();
  }
}
