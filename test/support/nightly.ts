import { NIGHTLY_VARIABLE } from '../../tools/run/suite/nightly.ts';

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
