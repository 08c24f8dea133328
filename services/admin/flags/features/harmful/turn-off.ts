import { isDeepStrictEqual } from 'node:util';
import type { PostgresClient } from '#base/postgres';
import { SYSTEM } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { writeEnabled } from '../enable.ts';
import { type GuardSetter, findSetter } from '../change/guards.ts';
import { type LockedFeature, lockFeature } from '../change/lock.ts';

/** A feature that is harmful in an environment. */
export type Harmful = {
  readonly feature: string;
  readonly environment: string;
  /** The impact metric of the guard that is worse. */
  readonly metric: string;
  /** The sentence of the verdict. */
  readonly reason: string;
  /** Epoch milliseconds: since when the configuration is in force that the verdict is about. */
  readonly configuredAtMs: number;
};

/** A feature that is harmful by counts that anybody could have invented. */
export type Unproved = Harmful & { readonly direction: Guard['direction'] };

/** A feature that is harmful by what trusted tokens sent. */
export type ProvedHarmful = Harmful & {
  readonly evidence: Evidence;
  /** The guard that is worse, as ClickHouse knows it. */
  readonly guard: Omit<Guard, 'turnOff'>;
};

export type Evidence = {
  readonly from: string;
  readonly until: string;
  readonly arm: ArmOfEvidence;
  readonly control: ArmOfEvidence;
  /** Ids of the trusted tokens. */
  readonly tokens: readonly string[];
  readonly applications: readonly string[];
};

type ArmOfEvidence = { readonly name: string; readonly chances: number; readonly events: number };

/** What the event of an action says: the guard, why, who set it, and what it relies on. */
export type Because = {
  readonly reason: string;
  readonly guard: object;
  readonly setBy: object;
  readonly evidence: Evidence;
};

export type TurnedOff = 'turned off' | 'not to turn off' | 'withheld' | { readonly ownedByUnleash: Because };

/**
 * Turns a harmful feature off in an environment, with an event, if its guard asks for that there and whoever has set the guard may
 * still do it. Does nothing if the feature is off there already or has another configuration by now. The lock makes it happen once,
 * although several processes may try.
 */
export async function turnOffHarmful(
  client: PostgresClient,
  { evidence, guard, ...harmful }: ProvedHarmful,
): Promise<TurnedOff> {
  const asked = await lockAsked(client, harmful, ({ turnOff: _, ...known }) =>
    isDeepStrictEqual(known, guard),
  );
  if (asked === undefined) return 'not to turn off';
  const { feature, environment, reason } = harmful;
  const { project, source, content } = asked.before;
  const setter = await findSetter(client, { feature, project, environment, guards: content.guards });
  if ('objection' in setter) {
    await withhold(client, { ...harmful, project, objection: setter.objection });
    return 'withheld';
  }
  const data = { reason, guard: asked.guard, setBy: personOf(setter), evidence };
  if (source === 'unleash') return { ownedByUnleash: data };
  await writeEnabled(client, { project, feature, environment, data, isEnabled: false, caller: SYSTEM });
  return 'turned off';
}

const UNPROVED =
  'What trusted tokens sent themselves does not show it: everybody else could have invented these evaluations or samples.';

/** Says in an event that a guard does not turn a feature off, because no trusted token has sent what makes it harmful. */
export async function withholdUnproved(
  client: PostgresClient,
  { direction, ...harmful }: Unproved,
): Promise<void> {
  const asked = await lockAsked(
    client,
    harmful,
    (guard) => guard.metric === harmful.metric && guard.direction === direction,
  );
  if (asked === undefined) return;
  await withhold(client, { ...harmful, project: asked.before.project, objection: UNPROVED });
}

type Guard = LockedFeature['content']['guards'][number];

/** The locked feature and its guard, if the guard asks to turn off this configuration in this environment. */
async function lockAsked(
  client: PostgresClient,
  { feature, environment, configuredAtMs }: Harmful,
  isWorse: (guard: Guard) => boolean,
): Promise<{ readonly before: LockedFeature; readonly guard: Guard } | undefined> {
  const before = await lockFeature(client, feature);
  const guard = before?.content.guards.find((one) => one.turnOff.includes(environment) && isWorse(one));
  if (before?.archived_at !== null || guard === undefined) return undefined;
  const { rowCount } = await client.query(
    `select
     from feature_environments
     where feature_name = $1
       and environment = $2
       and enabled
       and abs(extract(epoch from changed_at) * 1000 - $3) <= 1`,
    [feature, environment, configuredAtMs],
  );
  return rowCount === 0 ? undefined : { before, guard };
}

type Withheld = Harmful & { readonly project: string; readonly objection: string };

/** Once for each configuration and objection. */
async function withhold(
  client: PostgresClient,
  { feature, environment, project, reason, objection, configuredAtMs }: Withheld,
): Promise<void> {
  const { rowCount } = await client.query(
    `select
     from events
     where feature_name = $1
       and environment = $2
       and type = 'feature-guard-withheld'
       and created_at >= to_timestamp($3::double precision / 1000)
       and data ->> 'objection' = $4
     limit 1`,
    [feature, environment, configuredAtMs, objection],
  );
  if (rowCount !== 0) return;
  const of = { project, environment, featureName: feature };
  const data = { objection, reason };
  await recordEvent(client, { type: 'feature-guard-withheld', caller: SYSTEM, ...of, data });
}

function personOf({ userId, tokenId, name, setAt }: GuardSetter): object {
  return { name, userId, tokenId: tokenId ?? null, at: setAt.toISOString() };
}
