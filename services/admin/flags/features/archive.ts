import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notFound, notPermitted, outdated, ownedByUnleash } from '../../denial.ts';
import { OF_WHOLE_FEATURE } from '../../http/access/scope.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { VersionCheck } from '../../version-check.ts';
import { type LockedFeature, lockFeature, mayChange, versionOf } from './change/lock.ts';
import { lockProjectFor } from './change/project-for.ts';
import type { PassOn } from './change/pass-on.ts';

export function archiveOperations(db: Postgres, passOn: PassOn): Operation[] {
  return [archiveFeature(db, passOn), reviveFeature(db)];
}

function archiveFeature(db: Postgres, passOn: PassOn): Operation {
  return {
    id: 'archiveFeature',
    scope: OF_WHOLE_FEATURE,
    method: 'delete',
    path: '/api/admin/archive/{featureName}',
    tag: 'Features',
    summary:
      'Archive a feature (reversible, idempotent), in Unleash if Unleash owns it. Where approvals are required, only Admins may do this; others open a change request',
    permission: 'DELETE_FEATURE',
    isVersioned: true,
    query: COMMENTED,
    ifMatch: 'optional',
    answer: { status: 200, description: 'The feature is archived.' },
    problems: [404, 409],
    async run(request) {
      const name = nameParameter(request, 'featureName');
      const version = await inTransaction(db, (client) => archive(client, name, request));
      if (version === undefined) return passOn({ name, caller: request.caller });
      return new Versioned(version);
    },
  };
}

function reviveFeature(db: Postgres): Operation {
  return {
    id: 'reviveFeature',
    scope: OF_WHOLE_FEATURE,
    method: 'post',
    path: '/api/admin/archive/revive/{featureName}',
    tag: 'Features',
    summary:
      'Revive an archived feature, disabled in every environment. If approvals are required, only Admins may do this',
    permission: 'UPDATE_FEATURE',
    isVersioned: true,
    query: COMMENTED,
    ifMatch: 'optional',
    answer: { status: 200, description: 'The feature is active.' },
    problems: [404, 409],
    async run(request) {
      const name = nameParameter(request, 'featureName');
      const version = await inTransaction(db, (client) => revive(client, name, request));
      return new Versioned(version);
    },
  };
}

type By = {
  readonly caller: Caller;
  readonly isCurrent: VersionCheck;
  readonly changeRequestId?: number;
};

/**
 * Archives a feature for a caller, and returns its version; undefined if Unleash owns it. The lock lets only the first of two
 * concurrent calls write the event.
 */
async function archive(
  client: PostgresClient,
  name: string,
  by: Pick<By, 'caller' | 'isCurrent'>,
): Promise<number | undefined> {
  const feature = await lock(client, name, by);
  if (feature.source === 'unleash') return undefined;
  if (feature.archived_at === null && !(await mayChange(client, feature, by.caller)))
    throw new Denial(
      'ApprovalRequired',
      'This project requires approvals: open a change request, which can archive the feature.',
    );
  await writeArchived(client, { ...feature, name }, by);
  return versionOf(client, name);
}

/** Archives a locked feature, if it is active. Scheduled change requests that touch it are suspended. */
export async function writeArchived(
  client: PostgresClient,
  { name, project, archived_at }: Pick<LockedFeature, 'project' | 'archived_at'> & { readonly name: string },
  { caller, changeRequestId }: Omit<By, 'isCurrent'>,
): Promise<void> {
  if (archived_at !== null) return;
  await client.query('update features set archived_at = now() where name = $1', [name]);
  await recordEvent(client, {
    type: 'feature-archived',
    caller,
    project,
    featureName: name,
    changeRequestId,
  });
  await suspendScheduled(client, { name, project }, { caller, changeRequestId: changeRequestId ?? 0 });
}

async function revive(
  client: PostgresClient,
  name: string,
  by: Pick<By, 'caller' | 'isCurrent'>,
): Promise<number> {
  const { caller } = by;
  const feature = await lock(client, name, by);
  const { source, archived_at, project, version } = feature;
  if (source === 'unleash') throw ownedByUnleash('this feature');
  if (archived_at === null) return version;
  if (!(await mayChange(client, feature, caller)))
    throw notPermitted('This project requires approvals: only an Admin may revive its features.');
  if ((await lockProjectFor(client, project))?.archived_at !== null)
    throw new Denial('ProjectArchived', 'The project of this feature is archived: revive the project first.');
  await client.query('update features set archived_at = null where name = $1', [name]);
  // A revived feature is disabled in all environments (docs/develop/unleash.md#features).
  await client.query('update feature_environments set enabled = false where feature_name = $1', [name]);
  await recordEvent(client, { type: 'feature-revived', caller, project, featureName: name });
  return versionOf(client, name);
}

async function lock(
  client: PostgresClient,
  name: string,
  { isCurrent }: Pick<By, 'isCurrent'>,
): Promise<LockedFeature> {
  const feature = await lockFeature(client, name);
  if (feature === undefined) throw notFound('There is no such feature.');
  if (!isCurrent(feature.version)) throw outdated('the feature');
  return feature;
}

/**
 * Updates only the schedule, because applying a request locks the row of the request first. Requests of a project that had the feature
 * before say nothing of it any more.
 */
async function suspendScheduled(
  client: PostgresClient,
  feature: { readonly name: string; readonly project: string },
  { caller, changeRequestId }: Required<Pick<By, 'caller' | 'changeRequestId'>>,
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
