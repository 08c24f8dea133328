/** The keys of evaluations: features in applications of one environment. */
export type Keys = {
  readonly features: number;
  readonly apps: number;
  /** 0 uses each key equally often, 1 gives the n-th feature and application a weight of 1/n, as in packages/load. */
  readonly skew: 0 | 1;
};

export type Load = {
  readonly requestsPerSecond: number;
  /** Rows of a request: a metric of one feature, application and hour. */
  readonly rows: number;
  readonly keys: Keys;
};

/** As in tools/bench/shapes.ts. */
export const REALISTIC: Keys = { features: 1000, apps: 20, skew: 1 };
export const MANY: Keys = { features: 10_000, apps: 50, skew: 0 };

/** The expected number of distinct keys among so many rows. A block stores one row for each. */
export function distinctKeys({ features, apps, skew }: Keys, rows: number): number {
  const all = features * apps;
  if (skew === 0) return all * (1 - Math.exp(rows * Math.log1p(-1 / all)));
  const [ofFeatures, ofApps] = [weights(features), weights(apps)];
  let distinct = 0;
  for (const feature of ofFeatures)
    for (const app of ofApps) distinct += 1 - Math.exp(rows * Math.log1p(-feature * app));
  return distinct;
}

/** Parts of the whole, which add up to 1. */
function weights(size: number): number[] {
  const raw = Array.from({ length: size }, (_, index) => 1 / (index + 1));
  const sum = raw.reduce((all, weight) => all + weight, 0);
  return raw.map((weight) => weight / sum);
}
