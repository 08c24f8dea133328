import { openPostgres } from '#base/postgres';
import type { Config, Log } from '#base/runtime';
import type { Manifest } from './manifest.ts';

/** What was ended because nobody knows what has become of it since the backup. */
export type Settled = { readonly sessions: number; readonly schedules: number };

/**
 * Ends what a restored Postgres would otherwise do or allow again: a session may have been ended since the backup, and a schedule whose time
 * has come may have been applied, moved or rejected. People sign in again, and schedule again.
 */
export async function settlePostgres(config: Config, log: Log, { takenAt }: Manifest): Promise<Settled> {
  const db = openPostgres({ ...config.postgres, log });
  try {
    const sessions = await db.query('update sessions set revoked_at = now() where revoked_at is null');
    const schedules = await db.query(
      `update change_request_schedule
       set status = 'failed', reason = $1
       where status = 'pending'
         and scheduled_at <= now()`,
      [
        `Postgres was restored to its state of ${takenAt}, and the time of this schedule has passed since. Somebody who may apply the change request can schedule it again.`,
      ],
    );
    return { sessions: sessions.rowCount ?? 0, schedules: schedules.rowCount ?? 0 };
  } finally {
    await db.end();
  }
}
