import { NIGHTLY_VARIABLE } from '../../tools/run/suite/nightly.ts';
import { chooseSeed, createRandom } from './builders/random.ts';

/**
 * Like `it`, for a test that costs much and that other tests make likely to pass: `make test` leaves it out. `make test-seeds`,
 * `make test-nightly` and a run of its file include it.
 */
export function itNightly(title: string, test: Mocha.AsyncFunc): Mocha.Test | undefined {
  return isNight() ? it(title, test) : undefined;
}

/** Like `describe`, in the same way. */
export function describeNightly(title: string, tests: (this: Mocha.Suite) => void): void {
  if (isNight()) describe(title, tests);
}

export function isNight(): boolean {
  return process.env[NIGHTLY_VARIABLE] !== undefined;
}

/**
 * All cases at night, and by day this share of them, at least one of each kind. The `SEED` of the run chooses, so that each case is met
 * within some days.
 */
export function someByDay<T>(
  cases: readonly T[],
  share: number,
  kindOf: KindOf<T> = () => 'the only kind',
): readonly T[] {
  return isNight() ? cases : chooseSome(cases, share, { kindOf, seed: chooseSeed() });
}

/**
 * Returns an `it` for tests of one kind: at night all of them run, by day one of `count`, from the first that the `SEED` of the run
 * chooses.
 */
export function itByTurns(count: number): typeof itNightly {
  let next = chooseSeed() % count;
  return (title, test) => {
    next = (next + 1) % count;
    return next === 0 ? it(title, test) : itNightly(title, test);
  };
}

type KindOf<T> = (one: T) => unknown;

/** In their order. The same seed makes the same choice of the same number of cases. */
export function chooseSome<T>(
  cases: readonly T[],
  share: number,
  { kindOf, seed }: { readonly kindOf: KindOf<T>; readonly seed: number },
): readonly T[] {
  const random = createRandom(seed + cases.length);
  const shuffled = cases
    .map((one) => ({ one, kind: kindOf(one), rank: random.next() }))
    .toSorted((former, latter) => former.rank - latter.rank);
  const chosen = new Set<T>();
  for (const kind of new Set(shuffled.map((each) => each.kind))) {
    const ofKind = shuffled.filter((each) => each.kind === kind);
    const count = Math.max(1, Math.round(share * ofKind.length));
    for (const { one } of ofKind.slice(0, count)) chosen.add(one);
  }
  return cases.filter((one) => chosen.has(one));
}
