import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
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

/** Why a project is not changed; with the names of some active features, if these prevent it. */
export type ProjectDenial =
  | 'unknown'
  | 'outdated'
  | 'owned by Unleash'
  | 'archived'
  | 'default'
  | { readonly activeFeatures: readonly string[] };

/** Locks a project of flagmeter and runs `work` on it. Returns the new version, or the reason for a denial. */
export async function changeProject(
  client: PostgresClient,
  { id, isCurrent }: ProjectWrite,
  work: (before: LockedProject) => Promise<ProjectDenial | undefined>,
): Promise<number | ProjectDenial> {
  const before = await lockProject(client, id);
  if (before === undefined) return 'unknown';
  if (!isCurrent(before.version)) return 'outdated';
  if (before.source === 'unleash') return 'owned by Unleash';
  const denial = await work(before);
  return denial ?? (await lockProject(client, id))?.version ?? 'unknown';
}

async function lockProject(client: PostgresClient, id: string): Promise<LockedProject | undefined> {
  const { rows } = await client.query<LockedProject>(
    `select name, description, archived_at, source, version
     from projects
     where id = $1
     for update`,
    [id],
  );
  return rows[0];
}

/** Writes the members of the update that are present, and an event if anything changes. */
export async function updateProject(
  client: PostgresClient,
  { name, description, archived_at }: LockedProject,
  { write: { id, caller }, update }: { readonly write: ProjectWrite; readonly update: ProjectUpdate },
): Promise<'archived' | undefined> {
  if (archived_at !== null) return 'archived';
  const preData = { name, description };
  const data = { ...preData, ...update };
  if (data.name === name && data.description === description) return undefined;
  await client.query('update projects set name = $2, description = $3, updated_at = now() where id = $1', [
    id,
    data.name,
    data.description,
  ]);
  await recordEvent(client, { type: 'project-updated', caller, project: id, data, preData });
  return undefined;
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
): Promise<ProjectDenial | undefined> {
  if (id === 'default') return 'default';
  if (before.archived_at !== null) return undefined;
  const { rows } = await client.query<{ name: string }>(
    `select name
     from features
     where project = $1
       and archived_at is null
     order by name
     limit $2`,
    [id, MAX_NAMED],
  );
  if (rows.length > 0) return { activeFeatures: rows.map(({ name }) => name) };
  await client.query('update projects set archived_at = now() where id = $1', [id]);
  await recordEvent(client, { type: 'project-archived', caller, project: id });
  return undefined;
}

export async function reviveProject(
  client: PostgresClient,
  before: LockedProject,
  { id, caller }: ProjectWrite,
): Promise<undefined> {
  if (before.archived_at === null) return;
  await client.query('update projects set archived_at = null where id = $1', [id]);
  await recordEvent(client, { type: 'project-revived', caller, project: id });
}
