import { type ClickHouse, readUsage } from '#core/clickhouse';
import { secondsOf, timeBound } from '../../totals/store/series.ts';
import { MAX_ARMS } from '../schema.ts';

export type LinesFilter = {
  readonly feature: string;
  readonly metric: string;
  /** Absent: all, added up. */
  readonly environment: string | undefined;
  readonly application: string | undefined;
  readonly resolution: 'hour' | 'day';
  /** Start of each bucket and the end of the last one, in epoch milliseconds; whole hours, or days of UTC. */
  readonly starts: readonly number[];
  readonly end: number;
};

export type LineRow = {
  arm: string;
  /** Starts of the buckets with samples or exposures, in epoch seconds. */
  at: number[];
  exposures: string[];
  values: number[];
  observations: string[];
};

/** The samples of each arm that has any, and its exposures, by bucket. The arms with most exposures come first. */
export function readLines(db: ClickHouse, filter: LinesFilter): Promise<LineRow[]> {
  const { feature, metric, environment, application, starts, end } = filter;
  return readUsage<LineRow>(db, queryOf(filter), {
    feature,
    metric,
    environment,
    application,
    starts: starts.map(secondsOf),
    from: secondsOf(starts[0] ?? end),
    end: secondsOf(end),
  });
}

const TIMES = {
  hour: { column: 'hour', seconds: 'toUnixTimestamp(hour)', bound: timeBound },
  day: {
    column: 'day',
    seconds: '86400 * toUInt32(day)',
    bound: (name: string) => `toDate(${timeBound(name)})`,
  },
} as const;

/** The rounding finds each bucket by binary search. Exposures are those of the applications that send the metric. */
function queryOf({ resolution, environment, application }: LinesFilter): string {
  const { column, seconds, bound } = TIMES[resolution];
  const start = `roundDown(toUInt32(${seconds}), {starts:Array(UInt32)})`;
  const inWindow = `
    ${column} >= ${bound('from')}
    and ${column} < ${bound('end')}
    ${environment === undefined ? '' : 'and environment = {environment:String}'}
    ${application === undefined ? '' : 'and app_name = {application:String}'}`;
  return `
    select arm, groupArray(start) as at, groupArray(e) as exposures, groupArray(v) as values, groupArray(o) as observations
    from (
      select arm, start, greatest(sum(exposed), 0) as e, sum(measured) as v, sum(observed) as o, max(is_sample) as has_samples
      from (
        select
          labels[{feature:String}] as arm,
          ${start} as start,
          toInt64(0) as exposed,
          i.value as measured,
          i.observations as observed,
          true as is_sample
        from impact_by_${column} as i
        where metric_name = {metric:String}
          and mapContains(labels, {feature:String})
          and ${inWindow}
        union all
        select arm, ${start} as start, x.exposures as exposed, 0, 0, false
        from exposures_by_${column} as x
        where feature_name = {feature:String}
          and (environment, app_name) global in (
            select environment, app_name
            from impact_metrics
            where metric_name = {metric:String}
              and has(label_names, {feature:String})
          )
          and ${inWindow}
      )
      group by arm, start
    )
    group by arm
    having max(has_samples)
    order by sum(e) desc, arm
    limit ${MAX_ARMS}`;
}
