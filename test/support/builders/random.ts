import { createRandom as createUniform } from '#tooling/traffic';

/** Reproducible random numbers from a seed. `next` returns a number in [0, 1). */
export type Random = {
  next(): number;
  /** A whole number in [from, to]. */
  between(from: number, to: number): number;
  pick<T>(items: readonly [T, ...T[]]): T;
};

export function createRandom(seed: number): Random {
  const next = createUniform(seed);
  const between = (from: number, to: number): number => from + Math.floor(next() * (to - from + 1));
  return { next, between, pick: (items) => items[between(0, items.length - 1)] ?? items[0] };
}

/** The seed of this run. `SEED` repeats an earlier run, so print the seed in the titles of tests that use it. */
export function chooseSeed(): number {
  const given = Number(process.env['SEED']);
  return Number.isSafeInteger(given) && given > 0 ? given : (Date.now() ^ (process.pid << 16)) >>> 0;
}

/** How often a story repeats its fault: a number that suits the suite, multiplied by `ROUNDS`. */
export function chooseRounds(defaultRounds: number): number {
  const factor = Number(process.env['ROUNDS']);
  return defaultRounds * (Number.isSafeInteger(factor) && factor > 0 ? factor : 1);
}

/** A Poisson-distributed number; from a mean of 100 on approximated by a normal one. */
export function poisson(random: Random, mean: number): number {
  if (mean >= 100) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(random)));
  let count = -1;
  for (let product = 1; product > Math.exp(-mean); product *= random.next()) count += 1;
  return count;
}

/** A normally distributed number, around 0 with variance 1. */
export function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}
