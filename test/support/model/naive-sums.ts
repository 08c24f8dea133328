import { parseTimestamp } from '#base/schema';
import type { Block, CountSums, CountsMessage, Metric } from '#core/counting';

/** Exact sums by `[feature, app, environment, hour, what]`, where `what` is reports, yes, no or `variant <name>`; `unknown` if there are any. */
export type NaiveSums = Record<string, bigint>;

type Key = readonly [featureName: string, appName: string, environment: string, hour: number];

/** The result of counting the metrics one by one, with big integers and a plain object. */
export function sumsOfMetrics(metrics: readonly Metric[], receivedAt: number): NaiveSums {
  const sums: NaiveSums = {};
  for (const { featureName, appName, environment, timestamp, yes, no, variants } of metrics) {
    const at = timestamp == null ? receivedAt : (parseTimestamp(timestamp) ?? NaN);
    const key: Key = [featureName, appName, environment, Math.floor(at / 3_600_000)];
    addRow(sums, key, { reports: 1, yes: yes ?? 0, no: no ?? 0 });
    for (const [variant, count] of Object.entries(variants ?? {}))
      addVariant(sums, key, [variant, count ?? 0]);
  }
  return sums;
}

export function sumsOfCounts(counts: CountSums): NaiveSums {
  const sums: NaiveSums = {};
  for (const { key, variants, ...row } of rowsOf(counts)) {
    addRow(sums, key, row);
    if (row.unknown > 0) add(sums, [...key, 'unknown'], row.unknown);
    for (const variant of variants) addVariant(sums, key, variant);
  }
  return sums;
}

type Row = {
  readonly key: Key;
  readonly reports: number;
  readonly yes: number;
  readonly no: number;
  readonly unknown: number;
  readonly variants: readonly (readonly [name: string, count: number])[];
};

/** The rows of sums, in their order. */
export function rowsOf(sums: CountSums): Row[] {
  return Array.from({ length: sums.rowCount }, (_, row) => {
    const group = sums.groupOf(row);
    const ids = [sums.featureOf(row), sums.appOf(group), sums.environmentOf(group)] as const;
    const variants: [string, number][] = [];
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at))
      variants.push([sums.names[sums.nameOfVariant(at)] ?? '', sums.countOfVariant(at)]);
    const [reports, yes, no] = [sums.reportsOf(row), sums.yesOf(row), sums.noOf(row)];
    const unknown = sums.unknown.get(row) ?? 0;
    return { key: keyOf(sums.names, [...ids, sums.hourOf(group)]), reports, yes, no, unknown, variants };
  });
}

export function sumsOfMessage({ names, groups, rows, unknown }: CountsMessage): NaiveSums {
  const sums: NaiveSums = {};
  const left = [...rows];
  while (left.length > 0) {
    const [featureId = 0, group = 0, reports = 0, yes = 0, no = 0, variants = 0] = left.splice(0, 6);
    const [appId = 0, environmentId = 0, hour = 0] = groups.slice(3 * group);
    const key = keyOf(names, [featureId, appId, environmentId, hour]);
    addRow(sums, key, { reports, yes, no });
    for (let n = 0; n < variants; n += 1) {
      const [id = 0, count = 0] = left.splice(0, 2);
      addVariant(sums, key, [names[id] ?? '', count]);
    }
  }
  for (const { feature, group, count } of unknown) {
    const [appId = 0, environmentId = 0, hour = 0] = groups.slice(3 * group);
    add(sums, [...keyOf(names, [feature, appId, environmentId, hour]), 'unknown'], count);
  }
  return sums;
}

/** Sums of several blocks together. */
export function sumsOfBlocks(blocks: readonly Block[]): NaiveSums {
  const total: NaiveSums = {};
  for (const { sums } of blocks)
    for (const [key, sum] of Object.entries(sumsOfCounts(sums))) total[key] = (total[key] ?? 0n) + sum;
  return total;
}

/** The sum of everything counted as `what`, for example 'yes'. */
export function totalOf(sums: NaiveSums, what: string): bigint {
  return Object.entries(sums)
    .filter(([key]) => key.endsWith(`,${JSON.stringify(what)}]`))
    .reduce((total, [, sum]) => total + sum, 0n);
}

function keyOf(
  names: readonly string[],
  [feature, app, environment, hour]: readonly [number, number, number, number],
): Key {
  return [names[feature] ?? '', names[app] ?? '', names[environment] ?? '', hour];
}

function addRow(sums: NaiveSums, key: Key, row: { reports: number; yes: number; no: number }): void {
  add(sums, [...key, 'reports'], row.reports);
  add(sums, [...key, 'yes'], row.yes);
  add(sums, [...key, 'no'], row.no);
}

/** A variant with a count of 0 adds no row. */
function addVariant(sums: NaiveSums, key: Key, [variant, count]: readonly [string, number]): void {
  if (count > 0) add(sums, [...key, `variant ${variant}`], count);
}

function add(sums: NaiveSums, key: readonly unknown[], count: number): void {
  const name = JSON.stringify(key);
  sums[name] = (sums[name] ?? 0n) + BigInt(count);
}
