import type { ClickHouse } from '#core/clickhouse';
import {
  type HourUsage,
  MAX_USAGE_APPS,
  type Unleash,
  readUnknownFlags,
  readUsageHours,
} from '#unleash/client';
import { readCountedFeatures, readCountedHours } from './counted-hours.ts';
import { type Difference, type Excess, differencesOf, excessOf } from './differences.ts';
import { type Hours, hoursBackOf } from './hours.ts';
import { type UnderDefault, withoutUnderDefault } from './under-default.ts';

export type Comparison = {
  /** ISO 8601; the hours from `from` up to `to`. */
  readonly from: string;
  readonly to: string;
  /** The compared environments; null means all. */
  readonly environments: readonly string[] | null;
  readonly features: number;
  readonly isEqual: boolean;
  /** At most 100 differences. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
  /** Of Unleash, in all differences together. */
  readonly excess: Excess;
  /** No differences, with at most 100 features. */
  readonly underDefault: UnderDefault;
  /** At most 100 features that Unleash does not know. It stores no evaluations of them. */
  readonly unknownToUnleash: readonly string[];
  /** Features with more applications than Unleash returns. */
  readonly incomparable: readonly string[];
};

export type Sides = {
  readonly db: ClickHouse;
  readonly unleash: Unleash;
  readonly adminSecret: string;
  /** Undefined means all. */
  readonly environments: ReadonlySet<string> | undefined;
  readonly hours: Hours;
};

const MAX_SHOWN = 100;
const AT_ONCE = 4;

type FeatureComparison = {
  readonly featureName: string;
  readonly differences: readonly Difference[];
  readonly isIncomparable: boolean;
};

/**
 * Compares the sums of both sides. It reads the differing sums a second time after `settle`, because both sides store with a
 * delay.
 */
export async function compareWithUnleash(sides: Sides, settle: () => Promise<unknown>): Promise<Comparison> {
  const { db, unleash, adminSecret, environments, hours } = sides;
  const features = await readCountedFeatures(db, hours);
  const first = await compareFeatures(sides, features);
  const suspects = first.filter(({ differences }) => differences.length > 0);
  if (suspects.length > 0) await settle();
  const second = await compareFeatures(
    sides,
    suspects.map(({ featureName }) => featureName),
  );
  const unknownFlags =
    suspects.length === 0 ? new Set<string>() : await readUnknownFlags(unleash, adminSecret);
  const isUnknown = ({ featureName, differences }: FeatureComparison): boolean =>
    unknownFlags.has(featureName) && differences.every((difference) => difference.unleash === null);
  const { differences, underDefault } = withoutUnderDefault(
    second.filter((item) => !isUnknown(item)).flatMap((item) => item.differences),
  );
  return {
    from: new Date(hours.from).toISOString(),
    to: new Date(hours.to).toISOString(),
    environments: environments === undefined ? null : [...environments],
    features: features.length,
    isEqual: differences.length === 0,
    differences: differences.slice(0, MAX_SHOWN),
    differenceCount: differences.length,
    excess: excessOf(differences),
    underDefault: { ...underDefault, features: underDefault.features.slice(0, MAX_SHOWN) },
    unknownToUnleash: second.filter(isUnknown).map(nameOf).slice(0, MAX_SHOWN),
    incomparable: first.filter(({ isIncomparable }) => isIncomparable).map(nameOf),
  };
}

function nameOf({ featureName }: FeatureComparison): string {
  return featureName;
}

async function compareFeatures(sides: Sides, features: readonly string[]): Promise<FeatureComparison[]> {
  const compared: FeatureComparison[] = [];
  for (let start = 0; start < features.length; start += AT_ONCE)
    compared.push(
      ...(await Promise.all(
        features.slice(start, start + AT_ONCE).map((name) => compareFeature(sides, name)),
      )),
    );
  return compared;
}

async function compareFeature(
  { db, unleash, adminSecret, environments, hours }: Sides,
  featureName: string,
): Promise<FeatureComparison> {
  const hoursBack = hoursBackOf(hours, Date.now());
  const [counted, mirrored] = await Promise.all([
    readCountedHours(db, featureName, hours),
    readUsageHours(unleash, adminSecret, { featureName, hoursBack }),
  ]);
  const isCompared = ({ environment, hour }: HourUsage): boolean =>
    (environments?.has(environment) ?? true) && hour >= hours.from && hour < hours.to;
  const shownApps = new Set(mirrored.map(({ appName }) => appName));
  const isIncomparable = shownApps.size >= MAX_USAGE_APPS;
  const ours = counted.filter(
    (usage) => isCompared(usage) && (!isIncomparable || shownApps.has(usage.appName)),
  );
  return {
    featureName,
    differences: differencesOf(featureName, ours, mirrored.filter(isCompared)),
    isIncomparable,
  };
}
