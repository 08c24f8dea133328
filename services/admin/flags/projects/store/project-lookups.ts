import type { Postgres } from '#base/postgres';
import type { TokenType } from '#base/tokens';

/** Finds where stored things belong: their projects and environments. Undefined for a thing that does not exist. */
export function createProjectLookups(db: Postgres) {
  const find = async <T extends object>(sql: string, values: readonly string[]): Promise<T | undefined> =>
    (await db.query<T>(sql, [...values])).rows[0];
  return {
    projectOfFeature: async (name: string) =>
      (await find<{ project: string }>('select project from features where name = $1', [name]))?.project,

    projectOfVerdict: async (id: string) =>
      (
        await find<{ project: string }>(
          `select f.project
           from verdicts as v
           join features as f on f.name = v.subject
           where v.id = $1::bigint
             and v.subject_type = 'feature'`,
          [id],
        )
      )?.project,

    environmentOfChangeRequest: async (project: string, id: string) =>
      (
        await find<{ environment: string | null }>(
          `select case when not archives_features(id) then environment end as environment
           from change_requests
           where project = $1
             and id = $2::bigint`,
          [project, id],
        )
      )?.environment,

    scopeOfToken: (id: string) =>
      find<{ type: TokenType; projects: string[]; environment: string }>(
        `select type, projects, environment
         from api_tokens
         where id = $1
           and revoked_at is null`,
        [id],
      ),
  };
}
