import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../process/log.ts';

export type Job = {
  /** Waits for the current run and starts no other. */
  stop(): Promise<void>;
};

export type JobOptions = {
  /** The name in the log. */
  readonly name: string;
  readonly pauseMs: number;
  readonly log: Log;
};

/** Repeats work with a pause after each run, successful or not, until it is stopped. */
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
        // Logged once, because every round would log the same while an engine is unreachable.
        if (!isFailing) log.warn({ err, job: name }, 'job failed, tried again');
        isFailing = true;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // stopped during the pause
    }
  }
}
