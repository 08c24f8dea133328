import { type ClickHouse, ofProjects, readUsage } from '#core/clickhouse';
import type { Visible } from '#base/tokens';
import type { Grouping } from '../series-schema.ts';

/** The stored sums: of each minute of receipt, of each hour, or of each day of UTC, from the shortest time that they are kept to the longest. */
export type Resolution = 'minute' | 'hour' | 'day';

export type SeriesFilter = {
  readonly resolution: Resolution;
  /** Absent: all features together. */
  readonly features: readonly string[] | undefined;
  /** Only features of these projects. */
  readonly visible: Visible;
  readonly environment: string | undefined;
  readonly application: string | undefined;
  readonly groupBy: Grouping | undefined;
  /** The number of groups that are not added up to one. */
  readonly groups: number;
  /** Start of each bucket and the end of the last one, in epoch milliseconds; whole minutes or hours, or days of UTC. */
  readonly starts: readonly number[];
  readonly end: number;
  /** Groups are chosen by their counts from here on. */
  readonly rankedFrom: number;
};

export type SeriesRow = {
  feature: string;
  name: string;
  /** Whether the row adds up the groups beyond the first ones. */
  is_rest: 0 | 1;
  /** Starts of the buckets with counts, in epoch seconds, and the counts. */
  counts: [starts: number[], yes: number[], no: number[], unknown: number[]];
};

/** Counts arrive as numbers: to read a long window of many features, strings would take Node three times as long. */
const COUNTS = 'Tuple(Array(UInt32), Array(Float64), Array(Float64), Array(Float64))';

/** One row for each feature and group with counts, the groups with most evaluations first. */
export function readSeries(db: ClickHouse, filter: SeriesFilter): Promise<SeriesRow[]> {
  const { features = [], visible, environment, application, groups, starts, end, rankedFrom } = filter;
  const query = filter.groupBy === undefined ? wholeFeatures(filter) : rankedGroups(filter);
  return readUsage<SeriesRow>(db, query, {
    features,
    visible,
    environment,
    application,
    groups,
    starts: starts.map(secondsOf),
    from: secondsOf(starts[0] ?? end),
    end: secondsOf(end),
    rankedFrom: secondsOf(rankedFrom),
  });
}

/** Ranking would take a third of the time of this query. */
function wholeFeatures(filter: SeriesFilter): string {
  return `
    select
      feature,
      '' as name,
      0 as is_rest,
      (groupArray(start), groupArray(s.yes), groupArray(s.no), groupArray(s.unknown))::${COUNTS} as counts
    from (${sums(filter)}) as s
    group by feature`;
}

function rankedGroups(filter: SeriesFilter): string {
  return `
    select
      feature,
      if(place <= {groups:UInt32}, name, '') as name,
      place > {groups:UInt32} as is_rest,
      sumMap(starts, yes, no, unknown)::${COUNTS} as counts
    from (
      select *, row_number() over (partition by feature order by weight desc, name) as place
      from (
        select
          feature,
          name,
          groupArray(start) as starts,
          groupArray(s.yes) as yes,
          groupArray(s.no) as no,
          groupArray(s.unknown) as unknown,
          sum(if(start >= {rankedFrom:UInt32}, s.yes + s.no + s.unknown, 0)) as weight
        from (${sums(filter)}) as s
        group by feature, name
      )
    )
    group by feature, name, is_rest
    order by min(place)`;
}

const STORED = {
  minute: {
    usage: 'usage_minutely',
    // Beside the evaluations, which saves each INSERT a part.
    variants: 'usage_minutely as u array join variantsMap.variant as variant, variantsMap.count as served',
    served: 'served',
    time: 'minute',
    seconds: 'toUnixTimestamp(minute)',
    bound: timeBound,
  },
  hour: {
    usage: 'usage_hourly',
    variants: 'variants_hourly as u',
    served: 'u.count',
    time: 'hour',
    seconds: 'toUnixTimestamp(hour)',
    bound: timeBound,
  },
  day: {
    usage: 'usage_daily',
    variants: 'variants_daily as u',
    served: 'u.count',
    time: 'day',
    seconds: '86400 * toUInt32(day)',
    bound: dayBound,
  },
} as const;

const GROUP_COLUMNS = { application: 'app_name', environment: 'environment', variant: 'variant' } as const;

/**
 * Reads the tables directly, so that ClickHouse chooses between the key of a table, which begins with the feature, and its
 * projections. The rounding in the query finds each bucket by binary search. Markers have neither a feature nor an environment.
 */
function sums({ resolution, features, visible, environment, application, groupBy }: SeriesFilter): string {
  const { usage, variants, served, time, seconds, bound } = STORED[resolution];
  const isVariant = groupBy === 'variant';
  return `
    select
      ${features === undefined ? "''" : 'toString(feature_name)'} as feature,
      ${groupBy === undefined ? "''" : `toString(${GROUP_COLUMNS[groupBy]})`} as name,
      roundDown(toUInt32(${seconds}), {starts:Array(UInt32)}) as start,
      sum(${isVariant ? served : 'u.yes'}) as yes,
      ${isVariant ? 'toUInt64(0)' : 'sum(u.no)'} as no,
      ${isVariant ? 'toUInt64(0)' : 'sum(u.unknown)'} as unknown
    from ${isVariant ? variants : `${usage} as u`}
    where ${time} >= ${bound('from')}
      and ${time} < ${bound('end')}
      and ${features === undefined ? "environment != ''" : 'feature_name in {features:Array(String)}'}
      ${ofProjects(visible)}
      ${environment === undefined ? '' : 'and environment = {environment:String}'}
      ${application === undefined ? '' : 'and app_name = {application:String}'}
    group by feature, name, start`;
}

export function timeBound(parameter: string): string {
  return `toDateTime({${parameter}:UInt32}, 'UTC')`;
}

function dayBound(parameter: string): string {
  return `toDate(${timeBound(parameter)})`;
}

export function secondsOf(ms: number): number {
  return ms / 1000;
}
