import { type ClickHouse, isoOf, readUsage } from '#core/clickhouse';
import { type ImpactMetrics, MAX_APPLICATIONS, MAX_FEATURES, type MetricsQuery } from '../schema.ts';

type Row = {
  metric_name: string;
  metric_type: ImpactMetrics['impactMetrics'][number]['type'];
  help: string;
  environment: string;
  applications: string[];
  total_applications: string;
  features: string[];
  total_features: string;
  series: string;
  value: number | null;
  observations: string;
  first_at: number;
  last_at: number;
  total: string;
};

export async function readMetrics(db: ClickHouse, query: MetricsQuery): Promise<ImpactMetrics> {
  const rows = await readUsage<Row>(db, queryOf(query), query);
  return {
    total: Number(rows[0]?.total ?? 0),
    impactMetrics: rows.map((row) => ({
      metric: row.metric_name,
      type: row.metric_type,
      help: row.help,
      environment: row.environment,
      applications: row.applications,
      totalApplications: Number(row.total_applications),
      features: row.features,
      totalFeatures: Number(row.total_features),
      series: Number(row.series),
      value: row.value,
      observations: Number(row.observations),
      firstHour: isoOf(row.first_at),
      lastHour: isoOf(row.last_at),
    })),
  };
}

function queryOf({ feature, environment }: MetricsQuery): string {
  return `
    with
      of_day as (${OF_DAY}),
      known as (
        select
          metric_name,
          metric_type,
          environment,
          max(help) as help,
          arraySort(groupUniqArray(app_name)) as applications,
          arraySort(groupUniqArrayArray(1000)(features)) as features,
          min(first_hour) as first_hour,
          max(last_hour) as last_hour
        from impact_metrics
        where true ${environment === undefined ? '' : 'and environment = {environment:String}'}
        group by metric_name, metric_type, environment
        ${feature === undefined ? '' : 'having has(features, {feature:String})'}
      )
    select
      metric_name,
      metric_type,
      help,
      environment,
      arraySlice(known.applications, 1, ${MAX_APPLICATIONS}) as applications,
      length(known.applications) as total_applications,
      arraySlice(known.features, 1, ${MAX_FEATURES}) as features,
      length(known.features) as total_features,
      series,
      value,
      observations,
      toUnixTimestamp(first_hour) as first_at,
      toUnixTimestamp(last_hour) as last_at,
      count() over () as total
    from known
    left join of_day using (metric_name, metric_type, environment)
    order by metric_name, metric_type, environment
    limit {limit:UInt32}`;
}

/**
 * From the tables: the views by hour would first group hundreds of thousands of sets of labels. Markers have no metric name.
 * Totals are billionths.
 */
const OF_DAY = `
  select
    metric_name,
    metric_type,
    environment,
    uniq(app_name, label_names, label_values) as series,
    toNullable(toFloat64(sum(i.total)) / 1000000000) as value,
    sum(i.observations) as observations
  from impact_hourly as i
  where hour > now('UTC') - interval 24 hour
    and metric_name != ''
  group by metric_name, metric_type, environment
  union all
  select
    metric_name,
    'gauge' as metric_type,
    environment,
    uniq(app_name, instance_id, label_names, label_values) as series,
    toNullable(max(g.last).2) as value,
    toUInt64(0) as observations
  from gauges_hourly as g
  where hour > now('UTC') - interval 24 hour
  group by metric_name, environment`;
