import type { Postgres } from '#postgres';

/** In the order of their dependence: whoever removes an application removes what else is stored of it. */
const TABLES = [
  { name: 'client_applications_usage', seen: 'seen_at' },
  { name: 'client_instances', seen: 'last_seen' },
  { name: 'client_applications', seen: 'seen_at' },
] as const;

/** So that no statement takes long. */
const ROWS_AT_ONCE = 10_000;

/** Forgets applications, their instances and where they are used, each when it was not reported for 30 days. */
export async function pruneApplications(db: Postgres, signal: AbortSignal): Promise<void> {
  for (const { name, seen } of TABLES) {
    let removed = ROWS_AT_ONCE;
    while (removed === ROWS_AT_ONCE && !signal.aborted) {
      // What a registration holds at this moment is being seen again.
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
