import type { RelayMetric } from './batch.ts';

/** Metrics of the same feature, application, environment and hour (hours since the epoch), added up. */
export type CountSum = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly hour: number;
  readonly yes: number;
  readonly no: number;
  /** How many metrics were added up. */
  readonly reports: number;
  readonly variants: ReadonlyMap<string, number>;
};

/** Written without the rules that it serves to check: this is the other side of the comparison. */
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
