import type { Postgres } from '#base/postgres';
import type { LiveStep } from './schema.ts';

type Row = {
  id: string;
  type: string;
  created_by: string;
  created_at: Date;
  project: string | null;
  environment: string | null;
  group_id: string;
};

/** The maximum number of steps in one reading. Further ones come with the next reading. */
const MAX_STEPS = 50;

export type LiveSteps = ReturnType<typeof createLiveSteps>;

/** Reads the latest steps of change requests. */
export function createLiveSteps(db: Postgres) {
  return {
    /** The projects of features, by name. */
    async projectsOf(features: readonly string[]): Promise<Map<string, string>> {
      if (features.length === 0) return new Map();
      const { rows } = await db.query<{ name: string; project: string }>(
        'select name, project from features where name = any ($1)',
        [features],
      );
      return new Map(rows.map(({ name, project }) => [name, project]));
    },

    /**
     * Steps of the last seconds, oldest first, except those with the ids `seen`. A transaction may commit after a later one, so
     * the steps after the last known one are not enough. Drafts are private to their authors.
     */
    async listUnseen(seen: readonly number[], seconds: number): Promise<LiveStep[]> {
      const { rows } = await db.query<Row>(
        `select e.id, e.type, e.created_by, e.created_at, e.project, e.environment, e.group_id
         from events as e
         join change_requests as c on c.id = e.group_id::bigint
         where e.created_at > now() - make_interval(secs => $2)
           and e.group_type = 'change-request'
           and e.type like 'change-request-%'
           and c.state <> 'Draft'
           and e.id <> all ($1::bigint[])
         order by e.id
         limit ${MAX_STEPS}`,
        [seen, seconds],
      );
      return rows.map((row) => ({
        eventId: Number(row.id),
        type: row.type,
        createdBy: row.created_by,
        createdAt: row.created_at.toISOString(),
        changeRequestId: Number(row.group_id),
        project: row.project,
        environment: row.environment,
      }));
    },
  };
}
