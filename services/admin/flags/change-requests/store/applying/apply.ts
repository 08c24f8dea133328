import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notValid } from '../../../../denial.ts';
import { writeArchived } from '../../../features/archive.ts';
import { writeEnabled } from '../../../features/enable.ts';
import { lockFeature } from '../../../features/change/lock.ts';
import type { LockedRequest } from '../lock.ts';
import { applyStrategyChange } from './strategy-changes.ts';
import { applyVariantChange } from './variant-changes.ts';

type Change = {
  readonly id: number;
  readonly feature: string | null;
  readonly action: string;
  readonly payload: unknown;
};

/**
 * Applies the changes of a request in order. It performs the changes that this service owns, and records the others in the
 * event of the application for the service that owns them. It locks the features first, by name, so that two requests with
 * common features cannot deadlock.
 */
export async function applyChanges(
  client: PostgresClient,
  request: LockedRequest,
  caller: Caller,
): Promise<void> {
  const { rows: changes } = await client.query<Change>(
    `select id, feature, action, payload
     from change_request_events
     where change_request_id = $1
     order by id`,
    [request.id],
  );
  const features = await client.query<{ source: string; project: string }>(
    `select source, project
     from features
     where name = any ($1)
     order by name
     for update`,
    [changes.map(({ feature }) => feature)],
  );
  if (features.rows.some(({ source }) => source === 'unleash'))
    throw new Denial('OwnedByUnleash', 'Unleash owns these features: change them there.');
  // The approvals are those of the project of the request.
  if (features.rows.some(({ project }) => project !== request.project))
    throw notValid('A feature of this change request has moved to another project.');
  for (const change of changes) await applyChange(client, change, { request, caller });
  await client.query('delete from change_request_schedule where change_request = $1', [request.id]);
}

type Application = { readonly request: LockedRequest; readonly caller: Caller };

async function applyChange(
  client: PostgresClient,
  { feature, action, payload }: Change,
  { request, caller }: Application,
): Promise<void> {
  if (feature === null) return;
  const { id: changeRequestId, project, environment } = request;
  if (action === 'archiveFeature') {
    const locked = await lockFeature(client, feature);
    if (locked !== undefined)
      await writeArchived(client, { ...locked, name: feature }, { caller, changeRequestId });
  } else if (action === 'updateEnabled') {
    await checkActive(client, feature);
    const isEnabled = isEnabling(payload);
    await writeEnabled(client, { project, feature, environment, isEnabled, caller, changeRequestId });
  } else if (action === 'patchVariant') {
    await checkActive(client, feature);
    const place = { project, feature, environment, caller, changeRequestId };
    await applyVariantChange(client, place, { action, payload });
  } else if (STRATEGY_ACTIONS.has(action)) {
    await checkActive(client, feature);
    const place = { project, feature, environment, caller, changeRequestId };
    await applyStrategyChange(client, place, { action, payload });
  }
}

const STRATEGY_ACTIONS: ReadonlySet<string> = new Set([
  'addStrategy',
  'updateStrategy',
  'deleteStrategy',
  'reorderStrategy',
]);

function isEnabling(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && 'enabled' in payload && payload.enabled === true;
}

/** Whether its environments may be changed here. */
async function checkActive(client: PostgresClient, feature: string): Promise<void> {
  const { rows } = await client.query<{ source: string }>(
    'select source from features where name = $1 and archived_at is null',
    [feature],
  );
  if (rows[0] === undefined) throw notValid(`The feature ${feature} is archived.`);
  if (rows[0].source === 'opentelemetry')
    throw notValid(`Only another flag system has the feature ${feature}.`);
}
