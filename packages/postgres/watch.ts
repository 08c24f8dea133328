import { type Log, outlineTrouble, startJob } from '#runtime';
import type { Postgres } from './pool.ts';

/** Whether Postgres answers. Asking the watch costs nothing and never waits, even if Postgres is frozen. */
export type PostgresWatch = {
  /** Why Postgres did not answer the last time; undefined if it did. */
  trouble(): string | undefined;
  /** How long ago Postgres answered, in milliseconds; Infinity if it never did. */
  silentMs(): number;
  stop(): Promise<void>;
};

const PAUSE_MS = 1000;

export function watchPostgres(db: Postgres, log: Log): PostgresWatch {
  let trouble: string | undefined = 'Postgres has not been reached yet.';
  let answeredAt = -Infinity;
  const job = startJob({ name: 'watch of Postgres', pauseMs: PAUSE_MS, log }, async () => {
    try {
      await db.query('select 1');
      trouble = undefined;
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
