import type { Postgres } from './postgres.ts';

/** A record of what happened, with the keys of the API (unleash-facts 4.5). */
export type Event = {
  readonly id: number;
  readonly type: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly createdByUserId: number | null;
  readonly data: unknown;
  readonly preData: unknown;
  readonly tags: readonly unknown[];
  readonly featureName: string | null;
  readonly project: string | null;
  readonly environment: string | null;
};

type EventRow = {
  id: string;
  type: string;
  created_by: string;
  created_at: Date;
  created_by_user_id: number | null;
  data: unknown;
  pre_data: unknown;
  tags: unknown[];
  feature_name: string | null;
  project: string | null;
  environment: string | null;
};

const COLUMNS =
  'id, type, created_by, created_at, created_by_user_id, data, pre_data, tags, feature_name, project, environment';

export type Events = ReturnType<typeof createEvents>;

/** Reads events, newest first. */
export function createEvents(db: Postgres) {
  return {
    async listLatest(limit: number): Promise<{ events: Event[]; total: number }> {
      const { rows } = await db.query<EventRow & { total: string }>(
        `select ${COLUMNS}, (select count(*) from events) as total
         from events
         order by created_at desc, id desc
         limit $1`,
        [limit],
      );
      return { events: rows.map(toEvent), total: Number(rows[0]?.total ?? 0) };
    },

    async listOfProject(project: string): Promise<Event[]> {
      const { rows } = await db.query<EventRow>(
        `select ${COLUMNS}
         from events
         where project = $1
         order by created_at desc, id desc`,
        [project],
      );
      return rows.map(toEvent);
    },

    async listOfFeature(featureName: string): Promise<Event[]> {
      const { rows } = await db.query<EventRow>(
        `select ${COLUMNS}
         from events
         where feature_name = $1
         order by created_at desc, id desc`,
        [featureName],
      );
      return rows.map(toEvent);
    },
  };
}

function toEvent(row: EventRow): Event {
  return {
    id: Number(row.id),
    type: row.type,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    createdByUserId: row.created_by_user_id,
    data: row.data,
    preData: row.pre_data,
    tags: row.tags,
    featureName: row.feature_name,
    project: row.project,
    environment: row.environment,
  };
}
