import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { VersionCheck } from '../../../version-check.ts';
import { lockFeature, mayChange } from './lock.ts';
import { projectFor } from './project-for.ts';

type Denial = 'unknown' | 'outdated' | 'needs approval' | 'owned by Unleash';

export type ArchiveResult = 'archived' | 'archived before' | Denial;
export type ReviveResult = 'revived' | 'active' | 'archived project' | Denial;

type By = {
  readonly caller: Caller;
  /** Without it every version is accepted. */
  readonly isCurrent?: VersionCheck;
  readonly changeRequestId?: number;
};

/**
 * Archives a feature. It locks the row first, so that of two concurrent calls only the first archives it and writes the event.
 * Scheduled change requests that touch the feature are suspended.
 */
export async function archiveFeature(
  client: PostgresClient,
  name: string,
  { caller, isCurrent = () => true, changeRequestId }: By,
): Promise<ArchiveResult> {
  const feature = await lockFeature(client, name);
  if (feature === undefined) return 'unknown';
  if (!isCurrent(feature.version)) return 'outdated';
  if (feature.source === 'unleash') return 'owned by Unleash';
  if (feature.archived_at !== null) return 'archived before';
  if (changeRequestId === undefined && !(await mayChange(client, feature, caller))) return 'needs approval';
  await client.query('update features set archived_at = now() where name = $1', [name]);
  await recordEvent(client, {
    type: 'feature-archived',
    caller,
    project: feature.project,
    featureName: name,
    changeRequestId,
  });
  await suspendScheduled(
    client,
    { name, project: feature.project },
    { caller, changeRequestId: changeRequestId ?? 0 },
  );
  return 'archived';
}

export async function reviveFeature(
  client: PostgresClient,
  name: string,
  { caller, isCurrent }: Required<Pick<By, 'caller' | 'isCurrent'>>,
): Promise<ReviveResult> {
  const feature = await lockFeature(client, name);
  if (feature === undefined) return 'unknown';
  if (!isCurrent(feature.version)) return 'outdated';
  if (feature.source === 'unleash') return 'owned by Unleash';
  if (feature.archived_at === null) return 'active';
  if (!(await mayChange(client, feature, caller))) return 'needs approval';
  if ((await projectFor(client, feature.project)) === 'archived project') return 'archived project';
  await client.query('update features set archived_at = null where name = $1', [name]);
  // A revived feature is disabled in all environments (docs/develop/unleash.md#features).
  await client.query('update feature_environments set enabled = false where feature_name = $1', [name]);
  await recordEvent(client, {
    type: 'feature-revived',
    caller,
    project: feature.project,
    featureName: name,
  });
  return 'revived';
}

/**
 * Updates only the schedule, because applying a request locks the row of the request first. Requests of a project that had the feature
 * before say nothing of it any more.
 */
async function suspendScheduled(
  client: PostgresClient,
  feature: { readonly name: string; readonly project: string },
  { caller, changeRequestId }: Required<Omit<By, 'isCurrent'>>,
): Promise<void> {
  const reason = `The feature ${feature.name} was archived.`;
  const { rows } = await client.query<{ id: number; project: string; environment: string }>(
    `update change_request_schedule as s
     set status = 'suspended', reason = $2
     from change_requests as r
     where r.id = s.change_request
       and r.id <> $3
       and r.project = $4
       and r.state = 'Scheduled'
       and s.status = 'pending'
       and exists (select from change_request_events as c where c.change_request_id = r.id and c.feature = $1)
     returning r.id, r.project, r.environment`,
    [feature.name, reason, changeRequestId, feature.project],
  );
  for (const { id, project, environment } of rows) {
    const type = 'change-request-schedule-suspended';
    await recordEvent(client, {
      type,
      caller,
      project,
      environment,
      data: { id, reason },
      changeRequestId: id,
    });
  }
}
