import { type ClickHouse, readRows } from '#clickhouse';
import type { Postgres } from '#postgres';

type FeatureRow = {
  readonly feature_name: string;
  readonly project: string;
  readonly type: string;
  readonly archived: boolean;
  readonly stale: boolean;
  /** Epoch seconds. */
  readonly created_at: number;
  readonly enabled_in: readonly string[];
};

/**
 * Copies the changes of features from Postgres to ClickHouse, including deletions. Several workers may do this at once: the
 * next round corrects late writes.
 */
export async function syncFeatures(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  const stored = await readRows<FeatureRow>(
    clickhouse,
    `select feature_name, project, type, archived, stale, toUnixTimestamp(created_at) as created_at, enabled_in
     from features`,
  );
  const { rows } = await db.query<FeatureRow>(
    `select
       f.name as feature_name,
       f.project,
       f.type,
       f.archived_at is not null as archived,
       f.stale,
       ${secondsOf('f.created_at')} as created_at,
       coalesce(array_agg(e.environment order by e.environment) filter (where e.enabled), '{}') as enabled_in
     from features as f
     left join feature_environments as e on e.feature_name = f.name
     group by f.name`,
  );
  const known = new Map(stored.map((row) => [row.feature_name, textOf(row)]));
  const changed = rows.filter((row) => known.get(row.feature_name) !== textOf(row));
  for (const { feature_name } of rows) known.delete(feature_name);
  const gone = stored.filter(({ feature_name }) => known.has(feature_name));
  await insertRows(clickhouse, 'feature_copies', [
    ...changed.map((row) => toRow(row, false)),
    ...gone.map((row) => toRow(row, true)),
  ]);
}

function textOf({ project, type, archived, stale, created_at, enabled_in }: FeatureRow): string {
  return JSON.stringify([project, type, archived, stale, created_at, enabled_in]);
}

function toRow({ feature_name, ...rest }: FeatureRow, isGone: boolean) {
  return { name: feature_name, ...rest, is_gone: isGone ? 1 : 0 };
}

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
    coalesce(interval_ms, 0) as interval_ms,
    ${secondsOf('created_at')} as first_seen,
    ${secondsOf('last_seen')} as last_seen,
    to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') as updated_at
  from client_instances
  where updated_at >= $1
  order by client_instances.updated_at
  limit $2`;

/** Limits the time to the range of a DateTime, because one row that ClickHouse rejects would stop the sync. */
function secondsOf(column: string): string {
  return `least(greatest(floor(extract(epoch from ${column})), 0), 4294967295)::float8`;
}

async function insertRows(clickhouse: ClickHouse, table: string, values: readonly object[]): Promise<void> {
  if (values.length === 0) return;
  await clickhouse.insert({
    table,
    values,
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
}
