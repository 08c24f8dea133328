import { type ClickHouse, isoOf, readUsage } from '#core/clickhouse';
import type { Config } from '#base/runtime';
import { readFeatureVerdicts } from '../../advice/verdicts/store.ts';
import type { FeatureMetrics, FeatureUsage } from './schema.ts';
import { type SeriesFilter, readSeries } from './store/series.ts';
import { readStored } from './store/stored.ts';

/** The maximum number of applications listed for a feature (docs/develop/unleash.md#stored-usage). */
const MAX_APPLICATIONS = 100;

export type UsageStore = ReturnType<typeof createUsage>;

/** Reads how often features are evaluated. */
export function createUsage(db: ClickHouse, retention: Config['retention']) {
  return {
    storedFrom: (now: number) => readStored(db, retention, now),
    series: (filter: SeriesFilter) => readSeries(db, filter),

    async lastHour(featureName: string): Promise<FeatureUsage> {
      const [hours, applications, verdicts] = await Promise.all([
        readUsage<HourOfUsage>(db, THIS_HOUR, { featureName }),
        readUsage<{ app_name: string }>(
          db,
          `select distinct app_name
           from usage_by_hour
           where feature_name = {featureName:String}
             and hour > now('UTC') - interval 7 day
           order by app_name
           limit ${MAX_APPLICATIONS}`,
          { featureName },
        ),
        readFeatureVerdicts(db, featureName),
      ]);
      return {
        version: 1,
        maturity: 'stable',
        featureName,
        lastHourUsage: hours.map(({ environment, at, yes, no, unknown }) => ({
          environment,
          timestamp: isoOf(at),
          yes: Number(yes),
          no: Number(no),
          unknown: Number(unknown),
        })),
        seenApplications: applications.map(({ app_name }) => app_name),
        verdicts,
      };
    },

    /** Every hour of the last `hoursBack`, for each application and environment, including hours without evaluations. */
    async byHour(featureName: string, hoursBack: number): Promise<FeatureMetrics> {
      const rows = await readUsage<HourRow>(db, HOURS, { featureName, hoursBack });
      const data = rows.map(({ app_name, environment, at, yes, no, unknown, variants }) => ({
        featureName,
        appName: app_name,
        environment,
        timestamp: isoOf(at),
        yes: Number(yes),
        no: Number(no),
        unknown: Number(unknown),
        variants: Object.fromEntries(Object.entries(variants).map(([name, count]) => [name, Number(count)])),
      }));
      return { version: 1, maturity: 'stable', featureName, data };
    },
  };
}

type HourOfUsage = { environment: string; at: number; yes: string; no: string; unknown: string };
type HourRow = HourOfUsage & { app_name: string; variants: Record<string, string> };

const THIS_HOUR = `
  select
    environment,
    toUnixTimestamp(toStartOfHour(now('UTC'))) as at,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.unknown) as unknown
  from usage_by_hour as u
  where feature_name = {featureName:String}
    and hour >= toStartOfHour(now('UTC'))
  group by environment
  order by environment`;

const HOURS = `
  with
    toStartOfHour(now('UTC')) as last_hour,
    last_hour - toIntervalHour({hoursBack:UInt32} - 1) as first_hour,
    seen as (
      select app_name, environment
      from usage_by_hour
      where feature_name = {featureName:String}
        and hour between first_hour and last_hour
      group by app_name, environment
      order by app_name, environment
      limit ${MAX_APPLICATIONS}
    ),
    counted as (
      select app_name, environment, hour, sum(u.yes) as all_yes, sum(u.no) as all_no, sum(u.unknown) as all_unknown
      from usage_by_hour as u
      where feature_name = {featureName:String}
        and hour between first_hour and last_hour
      group by app_name, environment, hour
    ),
    served as (
      select
        app_name,
        environment,
        hour,
        cast((groupArray(toString(variant)), groupArray(v.count)), 'Map(String, UInt64)') as all_variants
      from variants_by_hour as v
      where feature_name = {featureName:String}
        and hour between first_hour and last_hour
      group by app_name, environment, hour
    )
  select
    slots.app_name as app_name,
    slots.environment as environment,
    toUnixTimestamp(slots.hour) as at,
    counted.all_yes as yes,
    counted.all_no as no,
    counted.all_unknown as unknown,
    served.all_variants as variants
  from (
    select
      app_name,
      environment,
      arrayJoin(arrayMap(i -> first_hour + toIntervalHour(i), range({hoursBack:UInt32}))) as hour
    from seen
  ) as slots
  left join counted using (app_name, environment, hour)
  left join served using (app_name, environment, hour)
  order by at, app_name, environment`;
