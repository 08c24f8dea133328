import type { PostgresClient } from '#postgres';
import type { Caller } from '#tokens';
import { recordEvent } from '../../events/store/record-event.ts';
import { lockFeature, mayChange } from './archive.ts';

export type Enabling = {
  readonly project: string;
  readonly feature: string;
  readonly environment: string;
  readonly isEnabled: boolean;
  readonly caller: Caller;
  readonly changeRequestId?: number;
};

export type EnablingResult = 'done' | 'unknown' | 'archived' | 'needs approval' | 'owned by Unleash';

/** Enables or disables a feature in an environment. */
export async function enableFeature(client: PostgresClient, enabling: Enabling): Promise<EnablingResult> {
  const { project, feature, environment, caller } = enabling;
  const locked = await lockFeature(client, feature);
  if (locked?.project !== project) return 'unknown';
  if (locked.source === 'unleash') return 'owned by Unleash';
  const known = await client.query('select from environments where name = $1', [environment]);
  if (known.rowCount === 0) return 'unknown';
  if (locked.archived_at !== null) return 'archived';
  if (!(await mayChange(client, { project, environment }, caller))) return 'needs approval';
  await writeEnabled(client, enabling);
  return 'done';
}

/** Writes the state, and an event if the state has changed. */
export async function writeEnabled(client: PostgresClient, enabling: Enabling): Promise<void> {
  const { project, feature, environment, isEnabled, caller, changeRequestId } = enabling;
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
  await recordEvent(client, { type, caller, project, environment, featureName: feature, changeRequestId });
}
