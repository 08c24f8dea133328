import pg from 'pg';
import { FlagmeterError, type PostgresAccess } from '#runtime';
import { clientConfig } from './pool.ts';

const LOCK_ID = 4_242_002;

export type OperatorLock = {
  /** Throws if the lock was lost with its connection. Call it before each step that must not run beside another operator's. */
  check(): void;
};

/**
 * Runs `work` while holding an advisory lock of Postgres. All commands that repair stored data share it. Throws at once if
 * another one is running.
 */
export async function withOperatorLock<T>(
  access: PostgresAccess,
  work: (lock: OperatorLock) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    ...clientConfig(access),
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    application_name: 'flagmeter operator',
  });
  let lost: Error | undefined;
  client.on('error', (error) => {
    lost = error;
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LOCK_ID,
    ]);
    if (rows[0]?.locked !== true) {
      throw new FlagmeterError(
        'operator-lock',
        'another "dead replay", "dead drop" or "replay" runs: wait until it ends',
      );
    }
    return await work({
      check() {
        if (lost === undefined) return;
        const message =
          'the connection to Postgres that keeps other operators out was lost; run the command again';
        throw new FlagmeterError('operator-lock', message, { cause: lost });
      },
    });
  } finally {
    await client.end();
  }
}
