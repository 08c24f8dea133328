import type { Postgres } from '#base/postgres';

/** Deletes entries that are older than AUDIT_RETENTION_DAYS, and those of strangers after a week. Each statement deletes a part, so none takes long. */
export async function pruneAudit(db: Postgres): Promise<void> {
  for (;;) {
    const { rows } = await db.query<{ deleted: number }>(
      'select prune_audit() + prune_strangers() as deleted',
    );
    if (rows[0]?.deleted === 0) return;
  }
}
