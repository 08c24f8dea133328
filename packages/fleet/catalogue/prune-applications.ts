import type { Postgres } from '#base/postgres';

/** In dependency order: deleting an application also deletes the rows of the other tables. */
const TABLES = [
  { name: 'client_applications_usage', seen: 'seen_at' },
  { name: 'client_instances', seen: 'last_seen' },
  { name: 'client_applications', seen: 'seen_at' },
  { name: 'relays', seen: 'last_report_at' },
] as const;

/** Bounds the time of one statement. */
const ROWS_AT_ONCE = 10_000;

/** Deletes applications, their instances and their usage, and relays, each 30 days after its last report. */
export async function pruneApplications(db: Postgres, signal: AbortSignal): Promise<void> {
  for (const { name, seen } of TABLES) {
    let removed = ROWS_AT_ONCE;
    while (removed === ROWS_AT_ONCE && !signal.aborted) {
      // Skips locked rows, because the registration that locks them is reporting them again.
      const { rowCount } = await db.query(
        `delete from ${name}
         where ctid = any (array(
           select ctid
           from ${name}
           where ${seen} < now() - interval '30 days'
           limit ${ROWS_AT_ONCE}
           for update skip locked
         ))`,
      );
      removed = rowCount ?? 0;
    }
  }
}
