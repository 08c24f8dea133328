import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../process/log.ts';

export type Job = {
  /** Waits until the work at hand is done. */
  stop(): Promise<void>;
};

export type JobOptions = {
  /** What it does, for the log. */
  readonly name: string;
  readonly pauseMs: number;
  readonly log: Log;
};

/** Repeats a piece of work with pauses between, whether it succeeds or not, until it is stopped. */
export function startJob(
  { name, pauseMs, log }: JobOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Job {
  const stopping = new AbortController();
  const finished = run();
  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };

  async function run(): Promise<void> {
    const { signal } = stopping;
    let isFailing = false;
    while (!signal.aborted) {
      try {
        await work(signal);
        isFailing = false;
      } catch (err) {
        // Logged once: while an engine is away every round would say the same.
        if (!isFailing) log.warn({ err, job: name }, 'job failed, tried again');
        isFailing = true;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // stopped while it waits
    }
  }
}
