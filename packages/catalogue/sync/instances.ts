import { type ClickHouse, readRows } from '#clickhouse';
import type { Postgres } from '#postgres';
import { insertRows, secondsOf } from './rows.ts';

/** More rows than one transaction of the applications consumer writes, so that a page never ends where it started. */
const INSTANCES_PER_PAGE = 20_000;

/** Copies the instances that were reported since the last sync to ClickHouse. */
export async function syncInstances(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  // The sync goes back some time, because a transaction becomes visible later than the timestamps of its rows.
  const [last] = await readRows<{ since: string }>(
    clickhouse,
    `select toString(max(updated_at) - interval 1 minute) as since from instance_copies`,
  );
  let since = `${last?.since ?? '1970-01-01'}Z`;
  for (;;) {
    const { rows } = await db.query<{ updated_at: string }>(INSTANCES, [since, INSTANCES_PER_PAGE]);
    await insertRows(clickhouse, 'instance_copies', rows);
    if (rows.length < INSTANCES_PER_PAGE) return;
    since = `${rows.at(-1)?.updated_at}Z`;
  }
}

const INSTANCES = `
  select
    app_name,
    environment,
    instance_id,
    coalesce(sdk_version, '') as sdk_version,
    coalesce(platform_name, '') as platform_name,
    coalesce(platform_version, '') as platform_version,
    coalesce(yggdrasil_version, '') as yggdrasil_version,
    jsonb_path_query_array(connect_via, '$[*].appName') as relays,
    jsonb_path_query_array(connect_via, '$[*].instanceId') as relay_instances,
    coalesce(interval_ms, 0) as interval_ms,
    ${secondsOf('created_at')} as first_seen,
    ${secondsOf('reporting_since')} as reporting_since,
    ${secondsOf('last_seen')} as last_seen,
    to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as updated_at
  from client_instances
  where updated_at >= $1
  order by client_instances.updated_at
  limit $2`;
