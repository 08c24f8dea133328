import type { FetchedBatch } from '#core/kafka';
import { aFreshCountsValue } from '../../../support/stack/engines/kafka/kafka-log.ts';

/** A fetch of partition 0 by a member of the group: one message for each batch id, from an offset on. */
export function aFetchedBatch(
  batchIds: readonly string[],
  { from = 0, commit }: { from?: number; commit: FetchedBatch['group']['commit'] },
): FetchedBatch {
  return {
    partition: 0,
    from: BigInt(from),
    position: BigInt(from + batchIds.length),
    messages: batchIds.map((batchId, index) => ({
      offset: BigInt(from + index),
      value: aFreshCountsValue(batchId),
      appendedAt: Date.now(),
    })),
    lag: 0,
    group: {
      generation: 1,
      check: () => undefined,
      isStopping: () => false,
      heartbeat: () => Promise.resolve(),
      commit,
    },
    advance: () => undefined,
    postpone: () => undefined,
  };
}
