import type { Postgres } from '#base/postgres';

/** The progress of the copy. */
export type SyncState = {
  /** Undefined before the first round. */
  readonly eventId: number | undefined;
  readonly eventCount: number | undefined;
  readonly listedAt: Date | undefined;
  readonly archivedRead: number;
  readonly areArchivedRead: boolean;
  readonly succeededAt: Date | undefined;
  /** Features that must still be read. */
  readonly outdated: number;
};

type StateRow = {
  event_id: string | null;
  event_count: string | null;
  listed_at: Date | null;
  archived_read: number;
  are_archived_read: boolean;
  succeeded_at: Date | null;
  outdated: string;
};

export async function readState(db: Postgres): Promise<SyncState> {
  const { rows } = await db.query<StateRow>(
    `select
       event_id, event_count, listed_at, archived_read, are_archived_read, succeeded_at,
       (select count(*) from unleash_outdated_features) as outdated
     from unleash_sync`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('unleash_sync has no row');
  return {
    eventId: row.event_id === null ? undefined : Number(row.event_id),
    eventCount: row.event_count === null ? undefined : Number(row.event_count),
    listedAt: row.listed_at ?? undefined,
    archivedRead: row.archived_read,
    areArchivedRead: row.are_archived_read,
    succeededAt: row.succeeded_at ?? undefined,
    outdated: Number(row.outdated),
  };
}

export async function saveEventPosition(
  db: Postgres,
  { eventId, eventCount }: { readonly eventId: number; readonly eventCount: number },
): Promise<void> {
  await db.query('update unleash_sync set event_id = $1, event_count = $2', [eventId, eventCount]);
}

export async function saveListed(db: Postgres): Promise<void> {
  await db.query('update unleash_sync set listed_at = now()');
}

export async function saveArchivedProgress(
  db: Postgres,
  { read, areAllRead }: { readonly read: number; readonly areAllRead: boolean },
): Promise<void> {
  await db.query('update unleash_sync set archived_read = $1, are_archived_read = $2', [read, areAllRead]);
}

/** `at` is when the reading began; it may lack later changes. */
export async function saveSuccess(db: Postgres, at: Date): Promise<void> {
  await db.query('update unleash_sync set succeeded_at = $1', [at]);
}

/** Makes the next step list all features again, including archived ones. */
export async function forgetLists(db: Postgres): Promise<void> {
  await db.query('update unleash_sync set listed_at = null, archived_read = 0, are_archived_read = false');
}
