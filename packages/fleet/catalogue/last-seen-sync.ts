import { type ClickHouse, readRows } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';

/** Bounds the memory of one page and the time of one statement. */
const ROWS_PER_PAGE = 10_000;

type Row = { readonly feature_name: string; readonly environment: string; readonly at: number };

/**
 * Copies the last hour with evaluations of each feature from ClickHouse to Postgres, so that lists can be ordered by it.
 * Idempotent: the next round corrects whatever a round missed. Pages are in the order of the keys, so that two workers cannot
 * deadlock.
 */
export async function syncLastSeen(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  let last = { feature_name: '', environment: '' };
  for (;;) {
    const rows = await readRows<Row>(clickhouse, LAST_SEEN, { ...last, limit: ROWS_PER_PAGE });
    await writeLastSeen(db, rows);
    const end = rows.at(-1);
    if (end === undefined || rows.length < ROWS_PER_PAGE) return;
    last = end;
  }
}

/** The grouping set without environment has an empty one: the row for all environments. */
const LAST_SEEN = `
  select feature_name, environment, toUnixTimestamp(max(s.last_hour)) as at
  from feature_app_seen_states as s
  where feature_name >= {feature_name:String}
  group by grouping sets ((feature_name, environment), (feature_name))
  having (feature_name, environment) > ({feature_name:String}, {environment:String})
  order by feature_name, environment
  limit {limit:UInt32}`;

async function writeLastSeen(db: Postgres, rows: readonly Row[]): Promise<void> {
  await db.query(
    `insert into feature_last_seen as known (feature_name, environment, last_seen_at)
     select f.name, seen.environment, to_timestamp(seen.at)
     from unnest($1::text[], $2::text[], $3::bigint[]) as seen (feature_name, environment, at)
     join features as f on f.name = seen.feature_name
     order by f.name, seen.environment
     on conflict (feature_name, environment) do update
     set last_seen_at = excluded.last_seen_at
     where known.last_seen_at <> excluded.last_seen_at`,
    [
      rows.map(({ feature_name }) => feature_name),
      rows.map(({ environment }) => environment),
      rows.map(({ at }) => at),
    ],
  );
}
