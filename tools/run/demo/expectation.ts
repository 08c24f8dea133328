import { type Ledger, type RelayMetric, sumMetrics } from '../../relay/index.ts';
import { PURCHASES_BY } from './traffic.ts';

/** Numbers by key. This side of the comparison is computed without flagmeter's own rules. */
export type Figures = ReadonlyMap<string, readonly number[]>;

/** The expected content of every view, computed from the batches that the relay's ledger holds as acknowledged. */
export type Expectation = {
  readonly counted: number;
  readonly refused: number;
  /** By name of the view, with the same keys as the rows of `viewQueries`. */
  readonly views: Readonly<Record<ViewName, Figures>>;
};

export type ViewName =
  | 'usage_by_hour'
  | 'usage_by_day'
  | 'variants_by_hour'
  | 'variants_by_day'
  | 'impact_by_hour'
  | 'refusals';

/** Each query returns `key`, an array of texts, and `figures`, an array of whole numbers. */
export const viewQueries: Readonly<Record<ViewName, string>> = {
  usage_by_hour: `
    select [feature_name, app_name, environment, toString(intDiv(toUnixTimestamp(hour), 3600))] as key,
           [yes, no, reports] as figures
    from usage_by_hour`,
  usage_by_day: `
    select [feature_name, app_name, environment, toString(toUInt16(day))] as key, [yes, no, reports] as figures
    from usage_by_day`,
  variants_by_hour: `
    select [feature_name, app_name, environment, variant, toString(intDiv(toUnixTimestamp(hour), 3600))] as key,
           [count] as figures
    from variants_by_hour`,
  variants_by_day: `
    select [feature_name, app_name, environment, variant, toString(toUInt16(day))] as key, [count] as figures
    from variants_by_day`,
  impact_by_hour: `
    select [metric_name, app_name, environment, labels['${PURCHASES_BY}']] as key,
           [toUInt64(sum(i.value)), sum(i.samples)] as figures
    from impact_by_hour as i
    group by key`,
  refusals: `
    select [reason, feature_name, app_name, environment] as key, [sum(count)] as figures
    from refusals
    where kind = 'metric'
    group by reason, feature_name, app_name, environment`,
};

/** `sentAt` is any moment of the demo, because all its metrics are far from the age limits. */
export function expectationOf(ledger: Ledger, sentAt: number): Expectation {
  const acknowledged = ledger.metricsOf('acknowledged');
  const refused = acknowledged.filter((metric) => refusalOf(metric, sentAt) !== undefined);
  const counted = acknowledged.filter((metric) => refusalOf(metric, sentAt) === undefined);
  const views = {
    usage_by_hour: new Map<string, number[]>(),
    usage_by_day: new Map<string, number[]>(),
    variants_by_hour: new Map<string, number[]>(),
    variants_by_day: new Map<string, number[]>(),
    impact_by_hour: impactOf(ledger),
    refusals: new Map<string, number[]>(),
  };
  for (const { featureName, appName, environment, hour, yes, no, reports, variants } of sumMetrics(counted)) {
    const names = [featureName, appName, environment];
    const day = Math.floor(hour / 24);
    add(views.usage_by_hour, [...names, hour], [yes, no, reports]);
    add(views.usage_by_day, [...names, day], [yes, no, reports]);
    for (const [variant, count] of variants) {
      add(views.variants_by_hour, [...names, variant, hour], [count]);
      add(views.variants_by_day, [...names, variant, day], [count]);
    }
  }
  for (const metric of refused) {
    const { featureName, appName, environment } = metric;
    add(
      views.refusals,
      [refusalOf(metric, sentAt) ?? '', featureName.slice(0, 255), appName, environment],
      [1],
    );
  }
  return { counted: counted.length, refused: refused.length, views };
}

/** The values and the number of the acknowledged samples. Their hour is that of the receipt, which the relay does not know. */
function impactOf(ledger: Ledger): Map<string, number[]> {
  const sums = new Map<string, number[]>();
  for (const { name, ...metric } of ledger.impactOf('acknowledged'))
    for (const { value, labels = {} } of metric.type === 'histogram' ? [] : metric.samples) {
      const names = [labels['appName'], labels['environment'], labels[PURCHASES_BY]];
      add(sums, [name, ...names.map((label) => label ?? '')], [value, 1]);
    }
  return sums;
}

/** Adds the figures to the entry with the same key. */
export function add(
  sums: Map<string, number[]>,
  parts: readonly (string | number)[],
  figures: readonly number[],
): void {
  const key = JSON.stringify(parts.map(String));
  const sum = sums.get(key);
  sums.set(
    key,
    sum === undefined ? [...figures] : sum.map((figure, index) => figure + (figures[index] ?? 0)),
  );
}

const DAY_MS = 86_400_000;

function refusalOf({ featureName, timestamp }: RelayMetric, sentAt: number): string | undefined {
  if (featureName.length > 255) return 'name_too_long';
  const at = Date.parse(timestamp);
  if (at < sentAt - 30 * DAY_MS) return 'too_old';
  return at > sentAt + 14 * 3_600_000 ? 'in_the_future' : undefined;
}
