import { type BatchConsumer, type Kafka, consumeBatches, openCommittedOffsets } from '#kafka';
import { FlagmeterError } from '#runtime';
import type { Partition } from './partition.ts';
import { type TakeOverOptions, takeOver } from './take-over.ts';

const MAX_BYTES_PER_PARTITION = 2 * 1024 * 1024;

export type CountsOptions = Omit<TakeOverOptions, 'committedOffsets'> & {
  readonly kafka: Kafka;
  readonly groupId: string;
  readonly signal: AbortSignal;
  readonly onCrash: (error: unknown) => void;
};

/** Consumes the counts topic into ClickHouse, each message exactly once. */
export async function consumeCounts(options: CountsOptions): Promise<BatchConsumer> {
  const { kafka, groupId, topic, epoch, metrics, onCrash, log, signal } = options;
  if (epoch === 0) throw new FlagmeterError('no-epoch', `${topic} was never set up: run "flagmeter migrate"`);
  const committedOffsets = await openCommittedOffsets(kafka, { groupId, log, signal });
  const partitions = new Map<number, Partition>();
  const consumer = await consumeBatches(
    kafka,
    {
      groupId,
      topic,
      // An INSERT costs 25 ms of engine time whatever it carries, and each partition of a fetch makes one: gather up to a
      // second, or what a single partition may bring, for a worker may have no more of them.
      minBytes: MAX_BYTES_PER_PARTITION,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      // One decodes while ClickHouse stores the other; more would only hold more blocks in memory.
      partitionsConcurrently: 2,
      log,
      signal,
      onCrash,
    },
    async (batch) => {
      let partition = partitions.get(batch.partition);
      if (partition?.generation !== batch.group.generation) {
        partition = await takeOver({ ...options, committedOffsets }, batch);
        partitions.set(batch.partition, partition);
      }
      await partition.take(batch);
      metrics.lag.set({ topic, partition: batch.partition }, batch.lag);
      batch.advance();
    },
  );
  return {
    isJoined: () => consumer.isJoined(),
    async stop() {
      await consumer.stop();
      await committedOffsets.close();
    },
  };
}
