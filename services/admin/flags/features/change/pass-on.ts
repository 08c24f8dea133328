import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { HttpProblem } from '#base/http';
import type { Caller } from '#base/tokens';
import {
  type ChangeResult,
  type FeatureChange,
  type FeatureChanger,
  UnleashError,
  type UnleashEvent,
  uidOfEvent,
} from '#unleash/client';
import { Denial, notFound, ownedByUnleash } from '../../../denial.ts';

export type PassOnChange = Omit<FeatureChange, 'project'> & {
  readonly caller: Caller;
  /** Why flagmeter itself asks for it. */
  readonly because?: object | undefined;
};

/** Makes a change in Unleash, for a feature that Unleash owns. Throws a problem unless Unleash confirms the change. */
export type PassOn = (change: PassOnChange) => Promise<void>;

/** `changeFeature` is undefined without UNLEASH_ADMIN_TOKEN. */
export function createPassOn(db: Postgres, changeFeature: FeatureChanger | undefined): PassOn {
  return async ({ caller, because, ...change }) => {
    if (changeFeature === undefined) throw ownedByUnleash('this feature');
    const { rows } = await db.query<{ project: string }>('select project from features where name = $1', [
      change.name,
    ]);
    const project = rows[0]?.project;
    if (project === undefined) throw notFound('There is no such feature.');
    const result = await asked(() => changeFeature({ ...change, project }));
    if (result.outcome === 'unknown feature') throw notFound('Unleash has no such feature or environment.');
    if (result.outcome === 'rejected')
      throw new Denial('RejectedByUnleash', `Unleash rejected this: ${result.reason}`);
    const passedOn = { ...change, caller, because, event: result.event };
    await inTransaction(db, (client) => recordPassedOn(client, passedOn));
  };
}

async function asked(ask: () => Promise<ChangeResult>): Promise<ChangeResult> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof UnleashError)) throw cause;
    const message =
      cause.code === 'unleash-unreached'
        ? 'Unleash did not answer, so that the outcome is unknown. Look at the feature, then try again.'
        : 'Unleash could not do it at the moment. Try again in a few seconds.';
    throw new HttpProblem(503, message, { headers: { 'Retry-After': '5' }, cause });
  }
}

/** `event` is undefined if nothing changed, and `state` if the feature was archived. */
type PassedOn = PassOnChange & { readonly event: UnleashEvent | undefined };

/**
 * Records a change that Unleash has made, and its caller, because Unleash knows only our token. The event has the uid under
 * which the sync stores it, so that it is stored once. The feature is marked, so that the sync reads it again even if a read is
 * in progress.
 */
async function recordPassedOn(
  client: PostgresClient,
  { name: feature, state, caller, because, event }: PassedOn,
): Promise<void> {
  // The sync locks features before their environments, too.
  await client.query('select from features where name = $1 for update', [feature]);
  if (state === undefined)
    await client.query(
      `update features
       set archived_at = coalesce(archived_at, now())
       where name = $1 and source = 'unleash'`,
      [feature],
    );
  else
    await client.query(
      `update feature_environments
       set enabled = $3
       where feature_name = $1 and environment = $2`,
      [feature, state.environment, state.isEnabled],
    );
  if (event !== undefined)
    await client.query(
      `insert into events (
         uid, type, created_at, created_by, created_by_user_id, project, environment, feature_name, data, comment, source
       )
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'unleash')
       on conflict (uid) do update
       set created_by = excluded.created_by, created_by_user_id = excluded.created_by_user_id,
         data = coalesce(excluded.data, events.data), comment = coalesce(excluded.comment, events.comment)`,
      [
        uidOfEvent(event),
        event.type,
        event.createdAt,
        caller.name,
        caller.userId,
        event.project ?? null,
        event.environment ?? null,
        feature,
        because === undefined ? null : JSON.stringify(because),
        caller.request?.comment ?? null,
      ],
    );
  await client.query(
    `insert into unleash_outdated_features (name, project)
     select name, project
     from features
     where name = $1 and source = 'unleash'
     on conflict (name) do update
     set marked_at = clock_timestamp()`,
    [feature],
  );
}
