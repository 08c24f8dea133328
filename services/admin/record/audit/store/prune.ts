import type { Postgres } from '#base/postgres';

/** Deletes entries that are older than AUDIT_RETENTION_DAYS, and those of strangers after a week. Each statement deletes a part, so none takes long. Old is what is old by the clock of Postgres and by ours. */
export async function pruneAudit(db: Postgres, now = Date.now): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ deleted: number }>(
      'select prune_audit($1) + prune_strangers($1) as deleted',
      [new Date(now())],
    );
    if (rows[0]?.deleted === 0) return;
  }
}
