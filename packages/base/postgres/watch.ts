import { type Log, outlineTrouble, startJob } from '#base/runtime';
import type { Postgres } from './pool/pool.ts';

/** Whether Postgres answers, and takes changes. Asking the watch costs nothing and never waits, even if Postgres is frozen. */
export type PostgresWatch = {
  /** Why Postgres could not be used the last time: no answer, or it only reads. Undefined if it could. */
  trouble(): string | undefined;
  /** How long ago Postgres answered, even if it only reads, in milliseconds; Infinity if it never did. */
  silentMs(): number;
  stop(): Promise<void>;
};

const PAUSE_MS = 1000;

export const READ_ONLY =
  'Postgres only reads: it is a standby, or the database or the role is set to read only.';

export function watchPostgres(db: Postgres, log: Log): PostgresWatch {
  let trouble: string | undefined = 'Postgres has not been reached yet.';
  let answeredAt = -Infinity;
  const job = startJob({ name: 'watch of Postgres', pauseMs: PAUSE_MS, log }, async () => {
    try {
      trouble = (await isReadOnly(db)) ? READ_ONLY : undefined;
      answeredAt = performance.now();
    } catch (error) {
      trouble = outlineTrouble('Postgres', error);
      throw error;
    }
  });
  return {
    trouble: () => trouble,
    silentMs: () => performance.now() - answeredAt,
    stop: () => job.stop(),
  };
}

/** Whether changes fail: in a standby, and where read-only transactions are the default. */
export async function isReadOnly(db: Postgres): Promise<boolean> {
  const { rows } = await db.query<{ isReadOnly: boolean }>(
    `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"`,
  );
  return rows[0]?.isReadOnly === true;
}
