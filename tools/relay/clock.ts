import { setTimeout } from 'node:timers/promises';

/** The time source of a relay. */
export type Clock = {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export const realClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await setTimeout(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  },
};
