import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';

/** A change that Unleash has made on behalf of a caller. */
export type PassedOn = {
  readonly feature: string;
  /** Undefined if the feature was archived. */
  readonly state: { readonly environment: string; readonly isEnabled: boolean } | undefined;
  readonly caller: Caller;
  /** Why flagmeter itself did it. */
  readonly because?: object | undefined;
  /** The event that Unleash wrote; undefined if nothing changed. */
  readonly event:
    | {
        readonly uid: string;
        readonly type: string;
        readonly createdAt: string;
        readonly project: string | null;
        readonly environment: string | null;
      }
    | undefined;
};

/**
 * Records a change that Unleash has made, and its caller, because Unleash knows only our token. The event has the uid under
 * which the sync stores it, so that it is stored once. The feature is marked, so that the sync reads it again even if a read is
 * in progress.
 */
export async function recordPassedOn(
  client: PostgresClient,
  { feature, state, caller, because, event }: PassedOn,
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
         uid, type, created_at, created_by, created_by_user_id, project, environment, feature_name, data, source
       )
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'unleash')
       on conflict (uid) do update
       set created_by = excluded.created_by, created_by_user_id = excluded.created_by_user_id,
         data = coalesce(excluded.data, events.data)`,
      [
        event.uid,
        event.type,
        event.createdAt,
        caller.name,
        caller.userId,
        event.project,
        event.environment,
        feature,
        because === undefined ? null : JSON.stringify(because),
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
