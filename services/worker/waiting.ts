import { type Group, LostPartition, withHeartbeats } from '#core/kafka';
import { FlagmeterError, type Log, createBackoff } from '#base/runtime';
import type { Attempted, WorkerMetrics } from './metrics.ts';
import { StoreAway } from './shard-gate.ts';

export type Attempts = {
  readonly group: Group;
  readonly metrics: WorkerMetrics;
  readonly log: Log;
  /** After how many failures StoreAway is thrown; by default never. */
  readonly maxFailures?: number | undefined;
};

/**
 * Retries until it succeeds: while a store is unreachable Kafka keeps the data, so we wait and neither crash nor skip. Throws
 * LostPartition when another worker gets the partition or the process stops.
 */
export async function untilDone<T>(
  { group, metrics, log, maxFailures = Infinity }: Attempts,
  attempted: Attempted,
  work: () => Promise<T>,
): Promise<T> {
  const backoff = createBackoff({ firstMs: 100, maxMs: 3000 });
  for (let failures = 1; ; failures += 1) {
    group.check();
    try {
      return await withHeartbeats(group, work());
    } catch (err) {
      if (isFinal(err)) throw err;
      log.warn({ attempted, err }, 'store not reached, trying again');
      metrics.failedAttempts.inc({ attempted });
    }
    if (group.isStopping()) throw new LostPartition();
    if (failures >= maxFailures) throw new StoreAway();
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
