import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';

export type Job = {
  /** Waits for the current run and starts no other. */
  stop(): Promise<void>;
};

export type JobOptions = {
  /** The name in the log. */
  readonly name: string;
  readonly pauseMs: number;
  /** The wait before the first run; the default is none. */
  readonly startAfterMs?: number | undefined;
  readonly log: Log;
};

const STAGGER_MS = 50;

/**
 * Returns the waits before the first runs of jobs that share connections: each begins a moment after the one before it. If all began
 * at once, a process would open a connection for each of them when it starts.
 */
export function staggerStarts(): () => number {
  let nextMs = -STAGGER_MS;
  return () => {
    nextMs += STAGGER_MS;
    return nextMs;
  };
}

/** Repeats work with a pause after each run, successful or not, until it is stopped. */
export function startJob(
  { name, pauseMs, startAfterMs = 0, log }: JobOptions,
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
    if (startAfterMs > 0) await pause(startAfterMs, signal);
    while (!signal.aborted) {
      try {
        await work(signal);
        isFailing = false;
      } catch (err) {
        // Logged once, because every round would log the same while an engine is unreachable.
        if (!isFailing) log.warn({ err, job: name }, 'job failed, tried again');
        isFailing = true;
      }
      await pause(pauseMs, signal);
    }
  }
}

/** Ends early if the job is stopped. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** A round of a job that does many things, of which some may fail. */
export type Round<Key> = {
  /** What has failed in this round. */
  readonly failed: readonly Key[];
  /** What failed in the last round that reached its end. */
  readonly failedBefore: readonly Key[];
  /** Notes a failure. Returns whether it is new: only then is it logged, because every further round would log the same. */
  readonly isNewFailure: (key: Key) => boolean;
};

/** Repeats work on many things, and remembers from one round to the next what failed. */
export function startJobOfMany<Key>(
  options: JobOptions,
  work: (round: Round<Key>, signal: AbortSignal) => Promise<void>,
): Job {
  let failedBefore: readonly Key[] = [];
  return startJob(options, async (signal) => {
    const failed: Key[] = [];
    const isNewFailure = (key: Key): boolean => {
      failed.push(key);
      return !failedBefore.includes(key);
    };
    await work({ failed, failedBefore, isNewFailure }, signal);
    failedBefore = failed;
  });
}
