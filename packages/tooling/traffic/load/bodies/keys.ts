import { createRandom } from '../../random.ts';

/** The possible keys of evaluations: every feature in every application and environment. */
export type KeySpace = {
  readonly features: number;
  readonly apps: number;
  readonly environments: readonly string[];
  /** 0 chooses all keys equally often; s > 0 gives the n-th feature and application a weight of 1/n^s (Zipf). */
  readonly skew: number;
  readonly seed: number;
};

export type Key = { readonly feature: number; readonly app: number; readonly environment: string };

/** Returns a function that chooses the keys of the next body: `rows` different keys. */
export function createKeys(space: KeySpace, rows: number): () => Key[] {
  const total = keyCount(space);
  if (rows > total) throw new RangeError(`a body of ${rows} rows needs as many keys; there are ${total}`);
  const pick = space.skew === 0 ? inTurn(total, createRandom(space.seed)) : skewed(space, total);
  return () => Array.from(pick(rows), (index) => keyAt(space, index));
}

export function keyCount({ features, apps, environments }: KeySpace): number {
  return features * apps * environments.length;
}

function keyAt({ apps, environments }: KeySpace, index: number): Key {
  const place = Math.floor(index / environments.length);
  const environment = environments[index % environments.length] ?? '';
  return { feature: Math.floor(place / apps), app: place % apps, environment };
}

/** Repeats all keys in a random order, so that consecutive bodies contain every key equally often. */
function inTurn(total: number, random: () => number): (rows: number) => number[] {
  const order = Uint32Array.from({ length: total }, (_, index) => index);
  for (let last = total - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    const moved = order[last] ?? 0;
    order[last] = order[other] ?? 0;
    order[other] = moved;
  }
  let next = 0;
  return (rows) => Array.from({ length: rows }, () => order[next++ % total] ?? 0);
}

/** After this many draws per row, the rest of a body takes the remaining keys in order, the most frequent first. */
const DRAWS_PER_ROW = 20;

function skewed(space: KeySpace, total: number): (rows: number) => Set<number> {
  const { features, apps, environments, skew } = space;
  const random = createRandom(space.seed);
  const pickFeature = zipf(features, skew, random);
  const pickApp = zipf(apps, skew, random);
  return (rows) => {
    const picked = new Set<number>();
    for (let draws = 0; picked.size < rows && draws < rows * DRAWS_PER_ROW; draws += 1) {
      const environment = Math.floor(random() * environments.length);
      picked.add((pickFeature() * apps + pickApp()) * environments.length + environment);
    }
    for (let index = 0; picked.size < rows && index < total; index += 1) picked.add(index);
    return picked;
  };
}

function zipf(size: number, skew: number, random: () => number): () => number {
  const cumulative = new Float64Array(size);
  let sum = 0;
  for (let rank = 0; rank < size; rank += 1) {
    sum += (rank + 1) ** -skew;
    cumulative[rank] = sum;
  }
  return () => firstAbove(cumulative, random() * sum);
}

function firstAbove(sorted: Float64Array, value: number): number {
  let from = 0;
  let to = sorted.length - 1;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) > value) to = middle;
    else from = middle + 1;
  }
  return from;
}

export function featureNameOf(feature: number): string {
  return `team-${padded(feature % 20, 2)}.feature-${padded(feature, 5)}`;
}

export function appNameOf(app: number): string {
  return `service-${padded(app, 3)}`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, '0');
}

/** Every fourth feature has variants. */
export function hasVariants(feature: number): boolean {
  return feature % 4 === 0;
}
