import type { PostgresClient } from '#base/postgres';

/** Why a project cannot hold a further feature. */
export type ProjectDenial = 'unknown project' | 'owned by Unleash' | 'archived project';

/**
 * Whether a project can hold a further active feature. The lock makes the archiving of the project wait for this transaction, and
 * this transaction for one that archives it.
 */
export async function projectFor(client: PostgresClient, id: string): Promise<'ready' | ProjectDenial> {
  const { rows } = await client.query<{ source: string; archived_at: Date | null }>(
    `select source, archived_at
     from projects
     where id = $1
     for key share`,
    [id],
  );
  const [project] = rows;
  if (project === undefined) return 'unknown project';
  if (project.source === 'unleash') return 'owned by Unleash';
  return project.archived_at === null ? 'ready' : 'archived project';
}
