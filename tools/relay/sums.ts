import type { RelayMetric } from './batch.ts';

/** The sum of the metrics of one feature, application, environment and hour (hours since the epoch). */
export type CountSum = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly hour: number;
  readonly yes: number;
  readonly no: number;
  /** The number of metrics in the sum. */
  readonly reports: number;
  readonly variants: ReadonlyMap<string, number>;
};

/** Does not use the code of packages/core/counting, because tests compare the two. */
export function sumMetrics(metrics: Iterable<RelayMetric>): CountSum[] {
  const sums = new Map<string, CountSum>();
  for (const { featureName, appName, environment, timestamp, yes, no, variants } of metrics) {
    const hour = hourOfTimestamp(timestamp);
    const key = JSON.stringify([featureName, appName, environment, hour]);
    const sum = sums.get(key);
    sums.set(key, {
      featureName,
      appName,
      environment,
      hour,
      yes: (sum?.yes ?? 0) + yes,
      no: (sum?.no ?? 0) + no,
      reports: (sum?.reports ?? 0) + 1,
      variants: addVariants(sum?.variants, variants),
    });
  }
  return [...sums.values()];
}

/** Hours since the epoch. */
export function hourOfTimestamp(timestamp: string): number {
  return Math.floor(Date.parse(timestamp) / 3_600_000);
}

function addVariants(
  sums: ReadonlyMap<string, number> | undefined,
  variants: Readonly<Record<string, number>>,
): ReadonlyMap<string, number> {
  const total = new Map(sums);
  for (const [variant, count] of Object.entries(variants)) {
    total.set(variant, (total.get(variant) ?? 0) + count);
  }
  return total;
}
