import { type ClickHouse, readUsage } from '#core/clickhouse';
import { type FeatureImpact, MAX_ARMS } from '../schema.ts';

export type ArmsFilter = {
  readonly feature: string;
  /** Absent: all metrics with a label of the feature. */
  readonly metric: string | undefined;
  readonly environment: string | undefined;
  /** Whole hours, in epoch milliseconds. */
  readonly from: number;
  readonly to: number;
  /** Maximum number of comparisons. */
  readonly limit: number;
};

type Comparison = FeatureImpact['comparisons'][number];
export type Compared = Pick<FeatureImpact, 'total' | 'comparisons'>;

type Row = {
  metric_name: string;
  metric_type: Comparison['type'];
  environment: string;
  app_name: string;
  control: string;
  /** Numbers that are not a number come as null. */
  arms: [
    arm: string,
    exposures: string,
    value: number,
    observations: string,
    ratios: (number | null)[],
    quantiles: (number | null)[],
  ][];
  total_arms: string;
  total: string;
};

/** The arms of a feature, compared by the view `feature_impact`. */
export async function readArms(db: ClickHouse, filter: ArmsFilter): Promise<Compared> {
  const { feature, metric, environment, limit } = filter;
  const rows = await readUsage<Row>(db, queryOf(filter), { feature, metric, environment, limit });
  return {
    total: Number(rows[0]?.total ?? 0),
    comparisons: rows.map((row) => ({
      metric: row.metric_name,
      type: row.metric_type,
      environment: row.environment,
      application: row.app_name,
      control: row.control,
      arms: row.arms.map((arm) => toArm(arm, row.metric_type)),
      totalArms: Number(row.total_arms),
    })),
  };
}

function toArm(
  [arm, exposures, value, observations, ratios, quantiles]: Row['arms'][number],
  type: Comparison['type'],
): Comparison['arms'][number] {
  const [perExposure = null, ratio = null, ratioLow = null, ratioHigh = null, pValue = null] = ratios;
  const [p50 = null, p95 = null, p99 = null] = quantiles;
  return {
    arm,
    exposures: Number(exposures),
    value,
    observations: Number(observations),
    perExposure,
    ratio,
    ratioLow,
    ratioHigh,
    pValue,
    quantiles: type === 'counter' ? null : { p50, p95, p99 },
  };
}

/** Arguments of a parameterised view cannot be query parameters. Both are numbers, so no text of a request becomes part of the query. */
function queryOf({ metric, environment, from, to }: ArmsFilter): string {
  return `
    select
      metric_name,
      metric_type,
      environment,
      app_name,
      any(control) as control,
      arraySlice(
        arraySort(
          compared -> (compared.1 != control, -compared.2, compared.1),
          groupArray((
            arm,
            exposures,
            value,
            observations,
            [per_exposure, ratio, ratio_low, ratio_high, p_value],
            [p50, p95, p99]
          ))
        ),
        1,
        ${MAX_ARMS}
      ) as arms,
      count() as total_arms,
      count() over () as total
    from feature_impact(since = ${timeOf(from)}, until = ${timeOf(to)})
    where feature_name = {feature:String}
      ${metric === undefined ? '' : 'and metric_name = {metric:String}'}
      ${environment === undefined ? '' : 'and environment = {environment:String}'}
    group by metric_name, metric_type, environment, app_name
    order by metric_name, metric_type, environment, app_name
    limit {limit:UInt32}`;
}

function timeOf(ms: number): string {
  return `toDateTime(${Math.floor(ms / 1000)}, 'UTC')`;
}
