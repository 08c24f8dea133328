import { mock } from 'node:test';

export type SetClock = {
  /** `performance.now()` is later by so much from now on. */
  advance(ms: number): void;
};

/** In each test of this `describe`, `performance.now()` stands still unless the test advances it. Timers go on. */
export function setClockByHand(): SetClock {
  let now = 0;
  beforeEach(() => {
    now = performance.now();
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.restoreAll();
  });
  return {
    advance(ms) {
      now += ms;
    },
  };
}
