import type { Event } from '#contract';
import { type EventPages, openEventPages } from './event-pages.ts';
import { type Postgres, inSnapshot } from './postgres.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from './event-rows.ts';

export type Events = ReturnType<typeof createEvents>;

/** Reads events, newest first. */
export function createEvents(db: Postgres) {
  // Slow readers keep at most half of the connections, so that the others are served.
  const maxHeld = Math.max(1, Math.floor(db.options.max / 2));
  let held = 0;
  const pages = (column: 'project' | 'feature_name', value: string): Promise<EventPages> =>
    openEventPages(db, {
      column,
      value,
      hold: () => {
        if (held >= maxHeld) return false;
        held += 1;
        return true;
      },
      release: () => {
        held -= 1;
      },
    });
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
        const counted = await client.query<{ total: string }>('select count(*) as total from events');
        return { events: rows.map(toEvent), total: Number(counted.rows[0]?.total ?? 0) };
      });
    },

    ofProject: (project: string): Promise<EventPages> => pages('project', project),
    ofFeature: (featureName: string): Promise<EventPages> => pages('feature_name', featureName),
  };
}
