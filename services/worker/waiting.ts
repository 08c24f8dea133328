import { type Group, LostPartition, withHeartbeats } from '#kafka';
import { FlagmeterError, type Log, createBackoff } from '#runtime';
import type { Attempted, WorkerMetrics } from './metrics.ts';

export type Attempts = {
  readonly group: Group;
  readonly metrics: WorkerMetrics;
  readonly log: Log;
};

/**
 * Tries until it succeeds: while a store is away the log keeps the data, and we wait here rather than crash or skip.
 * Gives up with LostPartition when the group moves on or the process is to stop.
 */
export async function untilDone<T>(
  { group, metrics, log }: Attempts,
  attempted: Attempted,
  work: () => Promise<T>,
): Promise<T> {
  const backoff = createBackoff({ firstMs: 100, maxMs: 3000 });
  for (;;) {
    group.check();
    try {
      return await withHeartbeats(group, work());
    } catch (err) {
      if (isFinal(err)) throw err;
      log.warn({ attempted, err }, 'store not reached, trying again');
      metrics.failedAttempts.inc({ attempted });
    }
    if (group.isStopping()) throw new LostPartition();
    await withHeartbeats(group, backoff.wait());
  }
}

/** A bug does not go away by waiting, nor does our own reason to stop. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof LostPartition ||
    error instanceof FlagmeterError ||
    error instanceof TypeError ||
    error instanceof RangeError
  );
}
