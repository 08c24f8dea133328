import { isDeepStrictEqual } from 'node:util';
import { findStanding } from '#base/auth';
import type { PostgresClient } from '#base/postgres';
import { type Caller, type Identity, mayIn } from '#base/tokens';
import type { Content } from './columns.ts';
import { mayChange } from './lock.ts';

type Guards = Content['guards'];

/** Why guards are not set: they turn the feature off in an environment, where the caller must be able to do the same. */
export type GuardDenial = {
  readonly guardDenied: 'unknown environment' | 'no permission' | 'needs approval' | 'owned by its provider';
  readonly environment: string;
};

/** Who has set the guards that turn a feature off in an environment. */
export type GuardSetter = Identity & { readonly name: string; readonly setAt: Date };

export type GuardChange = {
  readonly project: string;
  readonly caller: Caller;
  readonly source: string;
  readonly before: Guards;
  readonly after: Guards;
};

/**
 * The guards that turn a feature off in an environment, in one form whatever their order. They are part of the configuration of that
 * environment: whoever changes them may turn the feature off there, and so may the guards later.
 */
export function actingIn(guards: Guards, environment: string): string[] {
  return guards
    .filter(({ turnOff }) => turnOff.includes(environment))
    .map(({ metric, direction, threshold, above }) => JSON.stringify([metric, direction, threshold, above]))
    .sort();
}

/** Finds what forbids the change; undefined if nothing does. */
export async function denialOfGuards(
  client: PostgresClient,
  change: GuardChange,
): Promise<GuardDenial | undefined> {
  const { project, caller, source, after } = change;
  for (const environment of changedEnvironments(change)) {
    const place = { project, environment };
    if (!mayIn(caller, 'UPDATE_FEATURE', place)) return { guardDenied: 'no permission', environment };
    if (!(await mayChange(client, place, caller))) return { guardDenied: 'needs approval', environment };
    if (actingIn(after, environment).length === 0) continue;
    if (source === 'opentelemetry') return { guardDenied: 'owned by its provider', environment };
    const { rowCount } = await client.query('select from environments where name = $1', [environment]);
    if (rowCount === 0) return { guardDenied: 'unknown environment', environment };
  }
  return undefined;
}

/** Notes the caller for the environments whose guards the change sets. */
export async function noteSetter(
  client: PostgresClient,
  feature: string,
  { caller, before, after }: GuardChange,
): Promise<void> {
  for (const environment of changedEnvironments({ before, after })) {
    await client.query('delete from guard_setters where feature_name = $1 and environment = $2', [
      feature,
      environment,
    ]);
    const guards = actingIn(after, environment);
    if (guards.length > 0)
      await client.query(
        `insert into guard_setters (feature_name, environment, guards, set_by, set_by_token, set_by_name)
         values ($1, $2, $3, $4, $5, $6)`,
        [feature, environment, guards, caller.userId, caller.tokenId, caller.name],
      );
  }
}

function changedEnvironments({ before, after }: Pick<GuardChange, 'before' | 'after'>): string[] {
  const named = new Set([...before, ...after].flatMap(({ turnOff }) => turnOff));
  return [...named].filter(
    (environment) => !isDeepStrictEqual(actingIn(before, environment), actingIn(after, environment)),
  );
}

export type Acting = {
  readonly feature: string;
  readonly project: string;
  readonly environment: string;
  readonly guards: Guards;
};

type SetterRow = {
  guards: string[];
  set_by: number;
  set_by_token: string | null;
  set_by_name: string;
  set_at: Date;
};

/** Who has set the guards as they are now and may still turn the feature off there; else why nobody stands behind them. */
export async function findSetter(
  client: PostgresClient,
  { feature, project, environment, guards }: Acting,
): Promise<GuardSetter | { readonly objection: string }> {
  const { rows } = await client.query<SetterRow>(
    `select guards, set_by, set_by_token, set_by_name, set_at
     from guard_setters
     where feature_name = $1
       and environment = $2`,
    [feature, environment],
  );
  const [row] = rows;
  if (row === undefined || !isDeepStrictEqual(row.guards, actingIn(guards, environment)))
    return { objection: 'Nobody has set the guards of this environment as they are now: an import did.' };
  const setter = { userId: row.set_by, tokenId: row.set_by_token ?? undefined, name: row.set_by_name };
  const standing = await findStanding(client, setter);
  const place = { project, environment };
  if ('gone' in standing)
    return { objection: `${setter.name} has set the guard and may do nothing any more: ${standing.gone}.` };
  if (!mayIn(standing.actor, 'UPDATE_FEATURE', place))
    return {
      objection: `${setter.name} has set the guard and has lost the permission UPDATE_FEATURE in ${environment}.`,
    };
  if (!(await mayChange(client, place, standing.actor)))
    return {
      objection: `${environment} requires approvals now, and ${setter.name}, who has set the guard, is no Admin.`,
    };
  return { ...setter, setAt: row.set_at };
}
