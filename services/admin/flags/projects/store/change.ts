import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { Denial, notFound, outdated, ownedByUnleash } from '../../../denial.ts';
import type { VersionCheck } from '../../../version-check.ts';
import type { ProjectUpdate } from '../schema.ts';

export type ProjectWrite = {
  readonly id: string;
  readonly caller: Caller;
  readonly isCurrent: VersionCheck;
};

export type LockedProject = {
  readonly name: string;
  readonly description: string | null;
  readonly archived_at: Date | null;
  readonly source: 'flagmeter' | 'unleash';
  readonly version: number;
};

/** Locks a project of flagmeter and runs `work` on it. Returns the new version. */
export async function changeProject(
  client: PostgresClient,
  { id, isCurrent }: ProjectWrite,
  work: (before: LockedProject) => Promise<void>,
): Promise<number> {
  const before = await lockProject(client, id);
  if (!isCurrent(before.version)) throw outdated('the project');
  if (before.source === 'unleash') throw ownedByUnleash('this project');
  await work(before);
  return (await lockProject(client, id)).version;
}

async function lockProject(client: PostgresClient, id: string): Promise<LockedProject> {
  const { rows } = await client.query<LockedProject>(
    `select name, description, archived_at, source, version
     from projects
     where id = $1
     for update`,
    [id],
  );
  const [project] = rows;
  if (project === undefined) throw notFound('There is no such project.');
  return project;
}

/** Writes the members of the update that are present, and an event if anything changes. */
export async function updateProject(
  client: PostgresClient,
  { name, description, archived_at }: LockedProject,
  { write: { id, caller }, update }: { readonly write: ProjectWrite; readonly update: ProjectUpdate },
): Promise<void> {
  if (archived_at !== null) throw new Denial('ProjectArchived', 'The project is archived: revive it first.');
  const preData = { name, description };
  const data = { ...preData, ...update };
  if (data.name === name && data.description === description) return;
  await client.query('update projects set name = $2, description = $3, updated_at = now() where id = $1', [
    id,
    data.name,
    data.description,
  ]);
  await recordEvent(client, { type: 'project-updated', caller, project: id, data, preData });
}

const MAX_NAMED = 10;

/**
 * Archives a project without active features. The lock of the project makes a feature that is being created, moved or revived in
 * it wait, or this wait for that.
 */
export async function archiveProject(
  client: PostgresClient,
  before: LockedProject,
  { id, caller }: ProjectWrite,
): Promise<void> {
  if (id === 'default') throw new Denial('ProjectInUse', 'The project default is always there.');
  if (before.archived_at !== null) return;
  const { rows } = await client.query<{ name: string }>(
    `select name
     from features
     where project = $1
       and archived_at is null
     order by name
     limit $2`,
    [id, MAX_NAMED],
  );
  if (rows.length > 0)
    throw new Denial(
      'ProjectInUse',
      `The project has active features, archive or move them first: ${rows.map(({ name }) => name).join(', ')}.`,
    );
  await client.query('update projects set archived_at = now() where id = $1', [id]);
  await recordEvent(client, { type: 'project-archived', caller, project: id });
}

export async function reviveProject(
  client: PostgresClient,
  before: LockedProject,
  { id, caller }: ProjectWrite,
): Promise<void> {
  if (before.archived_at === null) return;
  await client.query('update projects set archived_at = null where id = $1', [id]);
  await recordEvent(client, { type: 'project-revived', caller, project: id });
}
