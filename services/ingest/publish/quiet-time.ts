import { setTimeout as sleep } from 'node:timers/promises';

/** Messages that expire meanwhile are settled this late at most. */
const LONGEST_PAUSE_MS = 1000;
/** Partitions of one broker wait for the same moment. Any of them may be the first, so that none is always late. */
const JITTER_MS = 10;

/** The time for which the broker of a partition wants no requests, because a quota is exceeded. */
export class QuietTime {
  readonly #longestWaitMs: number;
  /** Epoch milliseconds. */
  #until = 0;

  /** A message waits for `longestWaitMs` at most. */
  constructor(longestWaitMs: number) {
    this.#longestWaitMs = longestWaitMs;
  }

  begin(ms: number): void {
    this.#until = Date.now() + ms;
  }

  get isOver(): boolean {
    return this.#until <= Date.now();
  }

  /** Whether it lasts longer than a message may wait that has waited since then (epoch milliseconds). */
  isTooLong(since: number): boolean {
    return this.#until - since > this.#longestWaitMs && !this.isOver;
  }

  /** Waits for its end, but not long. */
  async pause(signal: AbortSignal): Promise<void> {
    const ms = Math.min(this.#until - Date.now() + Math.random() * JITTER_MS, LONGEST_PAUSE_MS);
    await sleep(ms, undefined, { signal }).catch(() => undefined); // stopped
  }
}
