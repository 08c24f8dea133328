import type { Registration } from '#core/counting';
import { type Postgres, type PostgresClient, inTransaction, isAhead } from '#base/postgres';
import { SYSTEM } from '#base/tokens';
import { instancesOf } from './instances-of.ts';

/**
 * Registers applications, their instances and their usage in one transaction, and writes `application-created` for new ones.
 * Idempotent. Rows are written in the order of their keys, so that two workers cannot deadlock. If
 * an earlier report has a time in the future, because a clock was ahead, that time counts as now.
 */
export async function registerApplications(
  db: Postgres,
  registrations: readonly Registration[],
): Promise<void> {
  if (registrations.length === 0) return;
  await inTransaction(db, async (client) => {
    await upsertApplications(client, registrations);
    await upsertUsage(client, registrations);
    await upsertInstances(client, registrations);
  });
}

async function upsertApplications(
  client: PostgresClient,
  registrations: readonly Registration[],
): Promise<void> {
  const applications = new Map<string, { app_name: string; seen_at: string; strategies: Set<string> }>();
  for (const { appName, seenAt, strategies } of registrations) {
    const application = applications.get(appName);
    const names = new Set([...(application?.strategies ?? []), ...strategies]);
    const seen_at = new Date(seenAt).toISOString();
    const isLater = application === undefined || application.seen_at < seen_at;
    applications.set(appName, {
      app_name: appName,
      seen_at: isLater ? seen_at : application.seen_at,
      strategies: names,
    });
  }
  const rows = [...applications.values()].map((row) => ({ ...row, strategies: [...row.strategies] }));
  await client.query(
    `with upserted as (
       insert into client_applications as known (app_name, seen_at, strategies, created_by)
       select app_name, seen_at, strategies, $2
       from jsonb_to_recordset($1) as seen (app_name text, seen_at timestamptz, strategies jsonb)
       order by app_name
       on conflict (app_name) do update
       set seen_at = greatest(least(known.seen_at, now()), excluded.seen_at),
           updated_at = now(),
           strategies = case when excluded.strategies = '[]' then known.strategies else excluded.strategies end
       returning app_name, created_at, seen_at, strategies, xmax = 0 as is_new
     )
     insert into events (type, created_by, created_by_user_id, data)
     select
       'application-created',
       $2,
       $3,
       jsonb_build_object('appName', app_name, 'createdAt', created_at, 'seenAt', seen_at, 'strategies', strategies)
     from upserted
     where is_new
     order by app_name`,
    [JSON.stringify(rows), SYSTEM.name, SYSTEM.userId],
  );
}

/** Updates existing rows once a day, because no one needs the last use more exactly. */
async function upsertUsage(client: PostgresClient, registrations: readonly Registration[]): Promise<void> {
  const rows = registrations.flatMap(({ appName, environment, projects, seenAt }) =>
    (projects.length === 0 ? ['*'] : projects).map((project) => ({
      app_name: appName,
      environment,
      project,
      seen_at: new Date(seenAt).toISOString(),
    })),
  );
  await client.query(
    `insert into client_applications_usage as known (app_name, project, environment, seen_at)
     select app_name, project, environment, max(seen_at)
     from jsonb_to_recordset($1) as seen (app_name text, project text, environment text, seen_at timestamptz)
     group by app_name, project, environment
     order by app_name, project, environment
     on conflict (app_name, project, environment) do update
     set seen_at = excluded.seen_at
     where known.seen_at < excluded.seen_at - interval '1 day'
       or ${isAhead('known.seen_at')}`,
    [JSON.stringify(rows)],
  );
}

async function upsertInstances(
  client: PostgresClient,
  registrations: readonly Registration[],
): Promise<void> {
  await client.query(
    `insert into client_instances as known (
       app_name, environment, instance_id, sdk_version, sdk_type, platform_name, platform_version, yggdrasil_version,
       connect_via, interval_ms, reporting_since, last_seen
     )
     select
       app_name, environment, instance_id, sdk_version, sdk_type, platform_name, platform_version, yggdrasil_version,
       connect_via, interval_ms, reporting_since, last_seen
     from jsonb_to_recordset($1) as seen (
       app_name text, environment text, instance_id text, sdk_version text, sdk_type text, platform_name text,
       platform_version text, yggdrasil_version text, connect_via jsonb, interval_ms integer,
       reporting_since timestamptz, last_seen timestamptz
     )
     order by app_name, environment, instance_id
     on conflict (app_name, environment, instance_id) do update
     set last_seen = greatest(least(known.last_seen, now()), excluded.last_seen),
         sdk_version = coalesce(excluded.sdk_version, known.sdk_version),
         sdk_type = coalesce(excluded.sdk_type, known.sdk_type),
         platform_name = coalesce(excluded.platform_name, known.platform_name),
         platform_version = coalesce(excluded.platform_version, known.platform_version),
         yggdrasil_version = coalesce(excluded.yggdrasil_version, known.yggdrasil_version),
         connect_via = excluded.connect_via,
         interval_ms = coalesce(excluded.interval_ms, known.interval_ms),
         reporting_since = case
           when ${isAhead('known.last_seen')}
             or excluded.reporting_since > known.last_seen + interval '3 minutes'
             + 3 * coalesce(excluded.interval_ms, known.interval_ms, 0) * interval '1 ms'
           then excluded.reporting_since
           else known.reporting_since
         end,
         updated_at = now()`,
    [JSON.stringify(instancesOf(registrations))],
  );
}
