import type { PostgresClient } from '#base/postgres';
import { Denial, notFound, ownedByUnleash } from '../../../denial.ts';

type Project = { readonly source: string; readonly archived_at: Date | null };

/** The lock makes the archiving of the project wait for this transaction, and this transaction for one that archives it. */
export async function lockProjectFor(client: PostgresClient, id: string): Promise<Project | undefined> {
  const { rows } = await client.query<Project>(
    `select source, archived_at
     from projects
     where id = $1
     for key share`,
    [id],
  );
  return rows[0];
}

/** Locks a project, and throws unless it can hold a further active feature. */
export async function requireProject(
  client: PostgresClient,
  id: string,
  name: 'this project' | 'the new project',
): Promise<void> {
  const project = await lockProjectFor(client, id);
  if (project === undefined) throw notFound(`There is no project ${id}.`);
  if (project.source === 'unleash') throw ownedByUnleash(name);
  if (project.archived_at !== null) throw new Denial('ProjectArchived', 'The project is archived.');
}
