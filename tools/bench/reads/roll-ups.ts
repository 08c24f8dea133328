import { type ClickHouse, readRows, runStatement } from '#core/clickhouse';
import { untilMerged } from './merges.ts';

/** The size of the generated history. */
export type RollUps = {
  readonly features: number;
  readonly apps: number;
  /** How many of the applications evaluate each feature. */
  readonly appsPerFeature: number;
  readonly environments: readonly string[];
  readonly days: number;
  readonly evaluationsPerDay: number;
};

/** 100 million evaluations a day for 90 days, in 65 million rows of `usage_hourly`. */
export const NINETY_DAYS: RollUps = {
  features: 2000,
  apps: 50,
  appsPerFeature: 5,
  environments: ['development', 'production', 'staging'],
  days: 90,
  evaluationsPerDay: 100_000_000,
};

/** The same traffic, with every feature in all applications: 648 million rows of `usage_hourly`. */
export const DENSE_NINETY_DAYS: RollUps = { ...NINETY_DAYS, appsPerFeature: NINETY_DAYS.apps };

/** Features per statement, each in one application. A statement must fit into two gigabytes. */
const FEATURES_AT_ONCE = 250;

/** Name of the generated feature `index`. */
export function rolledUpFeature(index: number): string {
  return `feature-${String(index).padStart(5, '0')}`;
}

/** Name of the generated application `index`. */
export function rolledUpApp(index: number): string {
  return `app-${String(index).padStart(3, '0')}`;
}

/**
 * Fills the base tables as if the worker had counted this traffic until now. Hot features have most of the
 * evaluations (a weight of 1/sqrt(n)). Each feature is on for its own fraction of the time, from never to always.
 * Every tenth serves two variants.
 */
export async function generateRollUps(
  db: ClickHouse,
  rollUps: RollUps,
  onProgress: (features: number) => void = () => undefined,
): Promise<void> {
  await writeProjectionsAtOnce(db);
  const { features, days, environments, ...shape } = rollUps;
  const atOnce = Math.ceil(FEATURES_AT_ONCE / rollUps.appsPerFeature);
  for (let from = 0; from < features; from += atOnce) {
    const to = Math.min(from + atOnce, features);
    const names = { first: rolledUpFeature(from), end: `${rolledUpFeature(to - 1)}~` };
    const query_params = { ...shape, ...names, from, to, features, environments, hours: days * 24 };
    for (const query of STATEMENTS) {
      await db.command({
        query,
        query_params,
        clickhouse_settings: { wait_end_of_query: 1, max_threads: 2 },
      });
    }
    onProgress(to);
  }
  await untilMerged(db);
}

/**
 * Parts get projections when they are merged. The generated rows are like parts that were merged long ago, so they
 * get theirs now.
 */
async function writeProjectionsAtOnce(db: ClickHouse): Promise<void> {
  const tables = await readRows<{ table: string }>(
    db,
    'select distinct table from system.projections where database = currentDatabase()',
  );
  for (const { table } of tables) {
    await runStatement(db, `alter table ${table} modify setting materialize_projections_on_insert = 1`);
  }
}

/** Rows in the order of the primary key, provided that names sort like numbers. */
const USAGE_HOURLY = `
  insert into usage_hourly (feature_name, environment, app_name, hour, yes, no, reports)
  with
    length({environments:Array(String)}) as environments,
    {hours:UInt32} * {appsPerFeature:UInt32} as rows_per_environment,
    intDiv(number, rows_per_environment * environments) as feature,
    intDiv(number, rows_per_environment) % environments as environment_index,
    intDiv(number, {hours:UInt32}) % {appsPerFeature:UInt32} as app_index,
    (feature * 7 + app_index * intDiv({apps:UInt32}, {appsPerFeature:UInt32})) % {apps:UInt32} as app,
    {evaluationsPerDay:UInt64} / (24 * {appsPerFeature:UInt32} * environments) as evaluations_per_hour,
    evaluations_per_hour / sqrt(feature + 1) / (2 * sqrt({features:UInt32})) as mean,
    toUInt64(mean * (0.5 + cityHash64(number) % 1000 / 1000)) as evaluations,
    toUInt64(evaluations * (cityHash64(feature) % 11) / 10) as enabled
  select
    concat('feature-', leftPad(toString(feature), 5, '0')),
    {environments:Array(String)}[environment_index + 1],
    concat('app-', leftPad(toString(app), 3, '0')),
    toStartOfHour(now('UTC')) - toIntervalHour({hours:UInt32} - 1 - number % {hours:UInt32}),
    enabled,
    evaluations - enabled,
    1 + cityHash64(number) % 60
  from numbers(
    toUInt64({from:UInt32}) * rows_per_environment * environments,
    toUInt64({to:UInt32} - {from:UInt32}) * rows_per_environment * environments
  )`;

const OF_THESE = 'feature_name >= {first:String} and feature_name < {end:String}';

const VARIANTS_HOURLY = `
  insert into variants_hourly (feature_name, environment, app_name, variant, hour, count)
  select
    feature_name,
    environment,
    app_name,
    variant,
    hour,
    if(variant = 'blue', intDiv(yes, 2), yes - intDiv(yes, 2))
  from usage_hourly
  array join ['blue', 'red'] as variant
  where ${OF_THESE}
    and endsWith(feature_name, '0')`;

const USAGE_DAILY = `
  insert into usage_daily (feature_name, environment, app_name, day, yes, no, reports)
  select feature_name, environment, app_name, toDate(hour) as day, sum(u.yes), sum(u.no), sum(u.reports)
  from usage_hourly as u
  where ${OF_THESE}
  group by feature_name, environment, app_name, day`;

const VARIANTS_DAILY = `
  insert into variants_daily (feature_name, environment, app_name, variant, day, count)
  select feature_name, environment, app_name, variant, toDate(hour) as day, sum(v.count)
  from variants_hourly as v
  where ${OF_THESE}
  group by feature_name, environment, app_name, variant, day`;

const FEATURE_APP_SEEN = `
  insert into feature_app_seen_states (feature_name, environment, app_name, first_hour, last_hour)
  select feature_name, environment, app_name, min(hour), max(hour)
  from usage_hourly
  where ${OF_THESE}
  group by feature_name, environment, app_name`;

const STATEMENTS = [USAGE_HOURLY, VARIANTS_HOURLY, USAGE_DAILY, VARIANTS_DAILY, FEATURE_APP_SEEN];
