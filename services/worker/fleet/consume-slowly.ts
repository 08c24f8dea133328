import { type BatchConsumer, type FetchedBatch, type GivenToConsumer, consumeBatches } from '#core/kafka';
import type { WorkerMetrics } from '../metrics.ts';

export type FleetConsumerOptions = GivenToConsumer & { readonly metrics: WorkerMetrics };

/** Consumes a topic with few messages, a partition at a time. */
export function consumeSlowly(
  { kafka, groupId, topic, log, signal, troubles, onCrash, metrics }: FleetConsumerOptions,
  handle: (batch: FetchedBatch) => Promise<void>,
): Promise<BatchConsumer> {
  const given = { groupId, topic, log, signal, troubles, onCrash };
  const limits = { minBytes: 1, maxBytesPerPartition: 1024 * 1024, partitionsConcurrently: 1 };
  return consumeBatches(kafka, { ...given, ...limits, onSlowFetch: metrics.slowFetchOf(topic) }, handle);
}
