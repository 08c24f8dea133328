import { type ClickHouse, readRows } from '#core/clickhouse';
import type { HourUsage } from '#unleash/client';
import type { Hours } from './hours.ts';

type Row = {
  readonly app_name: string;
  readonly environment: string;
  readonly at: string;
  readonly yes: string;
  readonly no: string;
};
type VariantRow = Pick<Row, 'app_name' | 'environment' | 'at'> & {
  readonly variant: string;
  readonly count: string;
};

const IN_HOURS =
  'hour >= fromUnixTimestamp64Milli({from:Int64}) and hour < fromUnixTimestamp64Milli({to:Int64})';

/** The features that were evaluated in these hours. */
export async function readCountedFeatures(db: ClickHouse, { from, to }: Hours): Promise<string[]> {
  const rows = await readRows<{ feature_name: string }>(
    db,
    `select distinct feature_name
     from usage_by_hour
     where ${IN_HOURS}
     order by feature_name`,
    { from, to },
  );
  return rows.map((row) => row.feature_name);
}

/** The evaluations of a feature that flagmeter counted in these hours. */
export async function readCountedHours(
  db: ClickHouse,
  featureName: string,
  { from, to }: Hours,
): Promise<HourUsage[]> {
  const params = { featureName, from, to };
  const [rows, variantRows] = await Promise.all([
    readRows<Row>(
      db,
      `select app_name, environment, toUnixTimestamp(hour) as at, sum(u.yes) as yes, sum(u.no) as no
       from usage_by_hour as u
       where feature_name = {featureName:String}
         and ${IN_HOURS}
       group by app_name, environment, hour`,
      params,
    ),
    readRows<VariantRow>(
      db,
      `select app_name, environment, toUnixTimestamp(hour) as at, toString(variant) as variant, sum(v.count) as count
       from variants_by_hour as v
       where feature_name = {featureName:String}
         and ${IN_HOURS}
       group by app_name, environment, hour, variant`,
      params,
    ),
  ]);
  const variants = new Map<string, [string, number][]>();
  for (const row of variantRows) {
    const list = variants.get(keyOf(row)) ?? [];
    variants.set(keyOf(row), list);
    list.push([row.variant, Number(row.count)]);
  }
  return rows.map((row) => ({
    appName: row.app_name,
    environment: row.environment,
    hour: Number(row.at) * 1000,
    yes: Number(row.yes),
    no: Number(row.no),
    variants: Object.fromEntries(variants.get(keyOf(row)) ?? []),
  }));
}

function keyOf({ app_name, environment, at }: Pick<Row, 'app_name' | 'environment' | 'at'>): string {
  return JSON.stringify([app_name, environment, Number(at)]);
}
