import {
  type BatchConsumer,
  type FetchedBatch,
  type GivenToConsumer,
  beginAtEnd,
  consumeBatches,
} from '#core/kafka';
import { untilReached } from '#base/runtime';
import type { MirrorMetrics } from './metrics.ts';

/** Messages are collected for this time, so that posts are few. A fetch of a MiB from one partition ends the wait. */
const GATHER_MS = 3000;
const MAX_BYTES_PER_PARTITION = 1024 * 1024;

export type ConsumeOptions = GivenToConsumer & {
  readonly partitionsConcurrently: number;
  readonly metrics: MirrorMetrics;
};

/**
 * Consumes a topic for the mirror. The very first start begins at the end of the topic, because earlier counts belong to an
 * import. Undefined if the process stops before Kafka is reached.
 */
export async function consume(
  { metrics, ...options }: ConsumeOptions,
  handle: (batch: FetchedBatch) => Promise<void>,
): Promise<BatchConsumer | undefined> {
  const { kafka, groupId, topic, log, signal, troubles } = options;
  const waiting = { engine: 'Kafka', log, signal, troubles } as const;
  await untilReached(() => beginAtEnd(kafka, { groupId, topic }), waiting);
  if (signal.aborted) return undefined;
  const reading = {
    minBytes: MAX_BYTES_PER_PARTITION,
    maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
    onSlowFetch(ms: number): void {
      metrics.slowFetchSeconds.inc({ topic }, ms / 1000);
    },
  };
  return consumeBatches(kafka, { ...options, ...reading, maxWaitMs: GATHER_MS }, async (batch) => {
    const { partition, messages, lag } = batch;
    const end = metrics.delays.begin(topic, partition, messages[0]?.appendedAt ?? Date.now());
    try {
      await handle(batch);
      metrics.lag.set({ topic, partition }, lag);
      batch.advance();
    } finally {
      end();
    }
  });
}
