import { isDeepStrictEqual } from 'node:util';
import { findStanding } from '#base/auth';
import type { PostgresClient } from '#base/postgres';
import { type Caller, type Identity, mayIn, personalTokenOf } from '#base/tokens';
import { say } from '#base/words';
import { Denial, notPermitted, notValid } from '../../../denial.ts';
import type { Content } from '../columns.ts';
import { mayChange, ownedByProvider } from './lock.ts';

type Guards = Content['guards'];

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

/** Throws unless the caller may turn the feature off in each environment where the guards do it. */
export async function checkGuards(client: PostgresClient, change: GuardChange): Promise<void> {
  const { project, caller, source, after } = change;
  for (const environment of changedEnvironments(change)) {
    const place = { project, environment };
    if (!mayIn(caller, 'UPDATE_FEATURE', place))
      throw notPermitted(
        say`A guard that turns the feature off in ${environment} needs the permission UPDATE_FEATURE in the environment ${environment} of the project ${project}.`,
      );
    if (!(await mayChange(client, place, caller)))
      throw new Denial(
        'ApprovalRequired',
        say`The environment ${environment} requires approvals: only an Admin may set or change a guard that turns the feature off there. A guard without this environment in turnOff reports harm and changes nothing.`,
      );
    if (actingIn(after, environment).length === 0) continue;
    if (source === 'opentelemetry') throw ownedByProvider();
    const { rowCount } = await client.query('select from environments where name = $1', [environment]);
    if (rowCount === 0)
      throw notValid(say`A guard names the environment ${environment}, which does not exist.`);
  }
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
        `insert into guard_setters (feature_name, environment, guards, set_by, set_by_token, personal_token, set_by_name)
         values ($1, $2, $3, $4, $5, $6, $7)`,
        [feature, environment, guards, caller.userId, caller.tokenId, personalTokenOf(caller), caller.name],
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
  personal_token: string | null;
  set_by_name: string;
  set_at: Date;
};

/** Who has set the guards as they are now and may still turn the feature off there; else why nobody stands behind them. */
export async function findSetter(
  client: PostgresClient,
  { feature, project, environment, guards }: Acting,
): Promise<GuardSetter | { readonly objection: string }> {
  const { rows } = await client.query<SetterRow>(
    `select guards, set_by, set_by_token, personal_token, set_by_name, set_at
     from guard_setters
     where feature_name = $1
       and environment = $2`,
    [feature, environment],
  );
  const [row] = rows;
  if (row === undefined || !isDeepStrictEqual(row.guards, actingIn(guards, environment)))
    return { objection: 'Nobody has set the guards of this environment as they are now: an import did.' };
  const setter = { userId: row.set_by, tokenId: row.set_by_token ?? undefined, name: row.set_by_name };
  const standing = await findStanding(client, { ...setter, personalToken: row.personal_token ?? undefined });
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
