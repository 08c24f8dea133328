import type { HourUsage } from '#unleash/client';

/** A sum that differs; null if a side has no such sum. */
export type Difference = {
  readonly environment: string;
  readonly featureName: string;
  readonly appName: string;
  /** ISO 8601. */
  readonly hour: string;
  readonly flagmeter: Sums | null;
  readonly unleash: Sums | null;
};

/** Evaluations: yes and no together. */
export type Excess = { readonly tooMany: number; readonly tooFew: number };

export type Sums = Pick<HourUsage, 'yes' | 'no' | 'variants'>;

/** Returns the differing sums of a feature. A row without evaluations counts as absent, because Unleash fills hours with zeros. */
export function differencesOf(
  featureName: string,
  counted: readonly HourUsage[],
  mirrored: readonly HourUsage[],
): Difference[] {
  const ours = byKey(counted);
  const theirs = byKey(mirrored);
  const keys = new Set([...ours.keys(), ...theirs.keys()]);
  return [...keys].sort().flatMap((key) => {
    const [flagmeter, unleash] = [ours.get(key), theirs.get(key)];
    if (textOf(flagmeter) === textOf(unleash)) return [];
    const usage = flagmeter ?? unleash;
    if (usage === undefined) return [];
    const { environment, appName, hour } = usage;
    const place = { environment, featureName, appName, hour: new Date(hour).toISOString() };
    return [{ ...place, flagmeter: sumsOf(flagmeter), unleash: sumsOf(unleash) }];
  });
}

/** The evaluations that Unleash has too many of, and too few of, in all these sums together. */
export function excessOf(differences: readonly Difference[]): Excess {
  const changes = differences.flatMap(({ flagmeter, unleash }) =>
    (['yes', 'no'] as const).map((kind) => (unleash?.[kind] ?? 0) - (flagmeter?.[kind] ?? 0)),
  );
  return {
    tooMany: changes.reduce((sum, change) => sum + Math.max(0, change), 0),
    tooFew: changes.reduce((sum, change) => sum + Math.max(0, -change), 0),
  };
}

function byKey(usages: readonly HourUsage[]): Map<string, HourUsage> {
  return new Map(
    usages
      .filter(({ yes, no }) => yes > 0 || no > 0)
      .map((usage) => [JSON.stringify([usage.hour, usage.environment, usage.appName]), usage]),
  );
}

function sumsOf(usage: HourUsage | undefined): Sums | null {
  if (usage === undefined) return null;
  const variants = Object.entries(usage.variants).filter(([, count]) => count > 0);
  return {
    yes: usage.yes,
    no: usage.no,
    variants: Object.fromEntries(variants.sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function textOf(usage: HourUsage | undefined): string {
  return JSON.stringify(sumsOf(usage));
}
