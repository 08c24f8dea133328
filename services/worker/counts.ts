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

/** Stores the messages of the counts topic in ClickHouse, each exactly once. */
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
      // Each partition of a fetch makes one INSERT, which costs ClickHouse 25 ms whatever its size. So a fetch waits up to a
      // second, or until it has the maximum of one partition: a worker may have only one.
      minBytes: MAX_BYTES_PER_PARTITION,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      // One partition decodes while ClickHouse stores the block of the other. More would only hold more blocks in memory.
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
      await partition.consume(batch);
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
