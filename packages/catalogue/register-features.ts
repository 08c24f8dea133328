import { type ClickHouse, readRows } from '#clickhouse';
import type { Postgres } from '#postgres';

/** More flags than a team has. Names beyond stay unknown names. */
export const MAX_REGISTERED_FEATURES = 5000;

type Row = { readonly feature_name: string; readonly provider: string };

/**
 * Registers features that only another flag system has: OpenTelemetry says that their provider knows them. A name whose evaluations all
 * fail may be a typing error, so it stays unknown. Idempotent; rows are in the order of their names, so that two workers cannot deadlock.
 */
export async function registerFeatures(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  const rows = await readRows<Row>(clickhouse, EVALUATED, { limit: MAX_REGISTERED_FEATURES });
  if (rows.length === 0) return;
  await db.query(REGISTER, [
    rows.map(({ feature_name }) => feature_name),
    rows.map(({ provider }) => provider),
    MAX_REGISTERED_FEATURES,
  ]);
}

/** The provider with the most evaluations. */
const EVALUATED = `
  select feature_name, argMax(provider, (provider != '', evaluations, provider)) as provider
  from (
    select feature_name, provider, sum(r.evaluations) as evaluations
    from reasons_daily as r
    where day >= toDate(now('UTC')) - 1
      and feature_name != ''
      and reason != 'error'
    group by feature_name, provider
  )
  group by feature_name
  order by feature_name
  limit {limit:UInt32}`;

const REGISTER = `
  with seen as (
    select one.name, nullif(one.provider, '') as provider, f.source, f.provider as known_provider
    from unnest($1::text[], $2::text[]) as one (name, provider)
    left join features as f on f.name = one.name
  ), fresh as (
    select name, provider
    from seen
    where source is null
    order by name
    limit greatest(0, $3 - (select count(*) from features where source = 'opentelemetry'))
  ), changed as (
    select name, provider
    from seen
    where source = 'opentelemetry'
      and provider <> coalesce(known_provider, '')
  )
  insert into features as known (name, project, source, provider)
  select name, 'default', 'opentelemetry', provider
  from (select name, provider from fresh union all select name, provider from changed) as written
  order by name
  on conflict (name) do update
  set provider = excluded.provider
  where known.source = 'opentelemetry'`;
