import { PAGE_ROWS, type Pages, type Postgres, firstOf, mapPages, pageOf, readPages } from '#base/postgres';
import type { Visible } from '#base/tokens';
import type { Event } from './schema.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from './store/rows.ts';

export type Events = ReturnType<typeof createEvents>;

/** Reads events, newest first. */
export function createEvents(db: Postgres) {
  return {
    /** The total is undefined for a caller who sees only some projects. */
    async listLatest(
      limit: number,
      visible: Visible,
    ): Promise<{ events: Pages<Event>; total: number | undefined }> {
      const events = await readEvents(db, { maxRows: limit, visible });
      if (visible !== undefined) return { events: firstOf(events, limit), total: undefined };
      // Triggers maintain the count, because counting the events takes longer with every event.
      const { rows } = await db.query<{ total: string }>(
        'select coalesce(sum(count), 0) as total from event_counts',
      );
      return { events: firstOf(events, limit), total: Number(rows[0]?.total ?? 0) };
    },

    ofProject: (value: string, visible: Visible): Promise<Pages<Event>> =>
      readEvents(db, { column: 'project', value, visible }),
    ofFeature: (value: string, visible: Visible): Promise<Pages<Event>> =>
      readEvents(db, { column: 'feature_name', value, visible }),
  };
}

/** `position` is the time of the event in microseconds, because a Date holds only milliseconds. */
type PositionedRow = EventRow & { position: string; size_bytes: number };

type Sought = {
  /** If absent, events of all projects and features. */
  readonly column?: 'project' | 'feature_name';
  readonly value?: string;
  readonly maxRows?: number;
  readonly visible: Visible;
};

async function readEvents(
  db: Postgres,
  { column, value, maxRows = PAGE_ROWS, visible }: Sought,
): Promise<Pages<Event>> {
  const page = pageOf({
    from: `
      select ${EVENT_COLUMNS}, size_bytes, created_at::text as position
      from events
      where (created_at, id) < ($1::timestamptz, $2::bigint)
        and ($3::text[] is null or project = any ($3))
        ${column === undefined ? '' : `and ${column} = $4`}`,
    order: 'created_at desc, id desc',
    maxRows,
  });
  const pages = await readPages<PositionedRow>(async (last) => {
    const position = [last?.position ?? 'infinity', last?.id ?? 0, visible];
    const { rows } = await db.query<PositionedRow>(
      page,
      value === undefined ? position : [...position, value],
    );
    return rows;
  }, maxRows);
  return mapPages(pages, toEvent);
}
