import type { Difference, Sums } from './differences.ts';

/** Evaluations that Unleash counts under `default`, and flagmeter under the environment that their sender named. */
export type UnderDefault = {
  readonly evaluations: number;
  /** Names, in the order of the differences. */
  readonly features: readonly string[];
};

/**
 * Takes the hours of an application out in which Unleash has more only under `default`, and exactly what it lacks under other
 * environments: Unleash counts an SDK whose token is for all environments there (docs/develop/unleash.md#tokens).
 */
export function withoutUnderDefault(differences: readonly Difference[]): {
  readonly differences: readonly Difference[];
  readonly underDefault: UnderDefault;
} {
  const places = new Map<string, Difference[]>();
  for (const difference of differences) {
    const { featureName, appName, hour } = difference;
    const place = JSON.stringify([featureName, appName, hour]);
    places.set(place, [...(places.get(place) ?? []), difference]);
  }
  const moved = new Set([...places.values()].filter(isMoved).flat());
  const ofDefault = [...moved].filter(isDefault);
  return {
    differences: differences.filter((difference) => !moved.has(difference)),
    underDefault: {
      evaluations: ofDefault.reduce((sum, difference) => sum + evaluationsOf(excessesOf(difference)), 0),
      features: [...new Set(ofDefault.map(({ featureName }) => featureName))],
    },
  };
}

function isDefault({ environment }: Difference): boolean {
  return environment === 'default';
}

function isMoved(differences: readonly Difference[]): boolean {
  const sums = new Map<string, number>();
  for (const difference of differences) {
    for (const [kind, excess] of excessesOf(difference)) {
      if (isDefault(difference) ? excess < 0 : excess > 0) return false;
      sums.set(kind, (sums.get(kind) ?? 0) + excess);
    }
  }
  return [...sums.values()].every((sum) => sum === 0);
}

/** How much more Unleash has of yes, of no and of each variant. */
function excessesOf({ flagmeter, unleash }: Difference): Map<string, number> {
  const [ours, theirs] = [countsOf(flagmeter), countsOf(unleash)];
  const kinds = new Set([...ours.keys(), ...theirs.keys()]);
  return new Map(Array.from(kinds, (kind) => [kind, (theirs.get(kind) ?? 0) - (ours.get(kind) ?? 0)]));
}

function countsOf(sums: Sums | null): Map<string, number> {
  if (sums === null) return new Map();
  const variants = Object.entries(sums.variants).map(([name, count]) => [`variant ${name}`, count] as const);
  return new Map([['yes', sums.yes], ['no', sums.no], ...variants]);
}

function evaluationsOf(counts: ReadonlyMap<string, number>): number {
  return (counts.get('yes') ?? 0) + (counts.get('no') ?? 0);
}
