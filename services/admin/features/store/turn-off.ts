import type { PostgresClient } from '#postgres';
import { SYSTEM } from '#tokens';
import { writeEnabled } from './enable.ts';
import { lockFeature } from './lock.ts';

/** A feature that is harmful in an environment. */
export type Harmful = {
  readonly feature: string;
  readonly environment: string;
  /** The guard that is worse. */
  readonly metric: string;
  /** The sentence of the verdict. */
  readonly reason: string;
  /** Epoch milliseconds: since when the configuration is in force that the verdict is about. */
  readonly configuredAtMs: number;
};

/**
 * Turns a harmful feature off in an environment, with an event, if its guard asks for that. Does nothing if the feature is off
 * there already or has another configuration by now. The lock makes it happen once, although several processes may try.
 */
export async function turnOffHarmful(
  client: PostgresClient,
  { feature, environment, metric, reason, configuredAtMs }: Harmful,
): Promise<'turned off' | 'not to turn off' | 'owned by Unleash'> {
  const before = await lockFeature(client, feature);
  const isAsked = before?.content.guards.some((guard) => guard.turnOff && guard.metric === metric);
  if (before?.archived_at !== null || isAsked !== true) return 'not to turn off';
  const { rowCount } = await client.query(
    `select
     from feature_environments
     where feature_name = $1
       and environment = $2
       and enabled
       and abs(extract(epoch from changed_at) * 1000 - $3) <= 1`,
    [feature, environment, configuredAtMs],
  );
  if (rowCount === 0) return 'not to turn off';
  if (before.source === 'unleash') return 'owned by Unleash';
  const { project } = before;
  await writeEnabled(client, {
    ...{ project, feature, environment, reason },
    isEnabled: false,
    caller: SYSTEM,
  });
  return 'turned off';
}
