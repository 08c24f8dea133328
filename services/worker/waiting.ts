import { type Group, LostPartition, withHeartbeats } from '#kafka';
import { FlagmeterError, type Log, createBackoff } from '#runtime';
import type { Attempted, WorkerMetrics } from './metrics.ts';

export type Attempts = {
  readonly group: Group;
  readonly metrics: WorkerMetrics;
  readonly log: Log;
};

/**
 * Retries until it succeeds: while a store is away Kafka keeps the data, so we wait and neither crash nor skip. Throws
 * LostPartition when another worker gets the partition or the process stops.
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

/** Retrying helps neither against a bug nor against a stop that we asked for. */
function isFinal(error: unknown): boolean {
  return (
    error instanceof LostPartition ||
    error instanceof FlagmeterError ||
    error instanceof TypeError ||
    error instanceof RangeError
  );
}
