import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';

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
