import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';

export type Job = {
  /** Waits for the current run and starts no other. */
  stop(): Promise<void>;
};

/**
 * Jobs that share this begin one after the other, each when the first run of the one before it has ended. If all began at once, a process
 * would open a connection to Postgres for each of them when it starts.
 */
export class FirstRuns {
  #last: Promise<void> | undefined;

  /** `before` is awaited before the first one. Neither it nor a run may reject. */
  constructor(before?: () => Promise<void>) {
    this.#last = before?.();
  }

  add(run: () => Promise<void>): Promise<void> {
    this.#last = this.#last === undefined ? run() : this.#last.then(run);
    return this.#last;
  }
}

export type JobOptions = {
  /** The name in the log. */
  readonly name: string;
  readonly pauseMs: number;
  readonly log: Log;
  readonly firstRuns?: FirstRuns | undefined;
};

/** Repeats work with a pause after each run, successful or not, until it is stopped. */
export function startJob(
  { name, pauseMs, log, firstRuns = new FirstRuns() }: JobOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Job {
  const stopping = new AbortController();
  const { signal } = stopping;
  let isFailing = false;
  const finished = repeatAfter(firstRuns.add(run));
  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };

  async function run(): Promise<void> {
    if (signal.aborted) return;
    try {
      await work(signal);
      isFailing = false;
    } catch (err) {
      // Logged once, because every round would log the same while an engine is unreachable.
      if (!isFailing) log.warn({ err, job: name }, 'job failed, tried again');
      isFailing = true;
    }
  }

  async function repeatAfter(first: Promise<void>): Promise<void> {
    await first;
    while (!signal.aborted) {
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined); // stopped during the pause
      await run();
    }
  }
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
