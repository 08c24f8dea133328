import type { Event } from '#contract';
import { EVENT_COLUMNS, type EventRow, toEvent } from './event-rows.ts';
import { PAGE_ROWS, type Pages, mapPages, readPages } from './pages.ts';
import { type Postgres, inSnapshot } from './postgres.ts';

export type Events = ReturnType<typeof createEvents>;

/** Reads events, newest first. */
export function createEvents(db: Postgres) {
  return {
    async listLatest(limit: number): Promise<{ events: Event[]; total: number }> {
      return inSnapshot(db, async (client) => {
        const { rows } = await client.query<EventRow>(
          `select ${EVENT_COLUMNS}
           from events
           order by created_at desc, id desc
           limit $1`,
          [limit],
        );
        // Kept by triggers: counting the events themselves takes longer with each of them.
        const counted = await client.query<{ total: string }>(
          'select coalesce(sum(count), 0) as total from event_counts',
        );
        return { events: rows.map(toEvent), total: Number(counted.rows[0]?.total ?? 0) };
      });
    },

    ofProject: (project: string): Promise<Pages<Event>> => readEvents(db, 'project', project),
    ofFeature: (featureName: string): Promise<Pages<Event>> => readEvents(db, 'feature_name', featureName),
  };
}

/** `position` is the time of the event in microseconds, which a Date does not hold. */
type PositionedRow = EventRow & { position: string };

async function readEvents(
  db: Postgres,
  column: 'project' | 'feature_name',
  value: string,
): Promise<Pages<Event>> {
  const pages = await readPages<PositionedRow>(async (last) => {
    const { rows } = await db.query<PositionedRow>(
      `select ${EVENT_COLUMNS}, created_at::text as position
       from events
       where ${column} = $1
         and (created_at, id) < ($2::timestamptz, $3::bigint)
       order by created_at desc, id desc
       limit ${PAGE_ROWS}`,
      [value, last?.position ?? 'infinity', last?.id ?? 0],
    );
    return rows;
  });
  return mapPages(pages, toEvent);
}
