import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { IN_ENVIRONMENT } from '../../http/access/scope.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import { type AdminRequest, type Operation, nameParameter } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import { lockToChange, requireChangeable } from './change/change.ts';
import { versionOf } from './change/lock.ts';
import type { PassOn } from './change/pass-on.ts';

/** Enables and disables a feature in an environment. If Unleash owns the feature, the change is made there. */
export function enableOperations(db: Postgres, passOn: PassOn): Operation[] {
  const path = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}';
  const common = {
    method: 'post',
    tag: 'Features',
    permission: 'UPDATE_FEATURE',
    scope: IN_ENVIRONMENT,
    isVersioned: true,
    query: COMMENTED,
    ifMatch: 'optional',
    problems: [404, 409],
  } as const;
  const run = (isEnabled: boolean) => (request: AdminRequest) => enable({ db, passOn }, request, isEnabled);
  return [
    {
      ...common,
      id: 'enableFeature',
      path: `${path}/on`,
      summary:
        'Enable a feature in an environment, in Unleash if Unleash owns it. Where approvals are required, only Admins may do this; others open a change request',
      answer: { status: 200, description: 'The feature is enabled.' },
      run: run(true),
    },
    {
      ...common,
      id: 'disableFeature',
      path: `${path}/off`,
      summary:
        'Disable a feature in an environment, in Unleash if Unleash owns it. Where approvals are required, only Admins may do this; others open a change request',
      answer: { status: 200, description: 'The feature is disabled.' },
      run: run(false),
    },
  ];
}

type Parts = { readonly db: Postgres; readonly passOn: PassOn };

async function enable(
  { db, passOn }: Parts,
  request: AdminRequest,
  isEnabled: boolean,
): Promise<Versioned | undefined> {
  const { caller, isCurrent } = request;
  const feature = nameParameter(request, 'featureName');
  const environment = nameParameter(request, 'environment');
  const project = nameParameter(request, 'projectId');
  const write = { project, feature, environment, caller, isCurrent };
  const version = await inTransaction(db, async (client) => {
    const before = await lockToChange(client, write);
    if (before.source === 'unleash') return undefined;
    await requireChangeable(client, before, write);
    await writeEnabled(client, { ...write, isEnabled });
    return versionOf(client, feature);
  });
  if (version !== undefined) return new Versioned(version);
  await passOn({ name: feature, state: { environment, isEnabled }, caller });
  return undefined;
}

export type Enabling = {
  readonly project: string;
  readonly feature: string;
  readonly environment: string;
  readonly isEnabled: boolean;
  readonly caller: Caller;
  readonly changeRequestId?: number;
  /** Why flagmeter itself did it. */
  readonly data?: object;
};

/** Enables or disables a feature in an environment. Writes an event if the state has changed. */
export async function writeEnabled(client: PostgresClient, enabling: Enabling): Promise<void> {
  const { project, feature, environment, isEnabled, caller, changeRequestId, data } = enabling;
  const { rowCount } = await client.query(
    `insert into feature_environments as known (feature_name, environment, enabled)
     values ($1, $2, $3)
     on conflict (feature_name, environment) do update
     set enabled = excluded.enabled
     where known.enabled <> excluded.enabled`,
    [feature, environment, isEnabled],
  );
  if (rowCount === 0) return;
  const type = isEnabled ? 'feature-environment-enabled' : 'feature-environment-disabled';
  await recordEvent(client, {
    type,
    caller,
    project,
    environment,
    featureName: feature,
    changeRequestId,
    ...(data === undefined ? {} : { data }),
  });
}
