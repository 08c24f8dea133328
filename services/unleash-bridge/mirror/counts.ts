import { type BatchConsumer, openCommittedOffsets } from '#core/kafka';
import { type ConsumeOptions, consume } from './consume.ts';
import type { Delivery } from './deliver.ts';
import type { MirrorPartition } from './mirrored-partition.ts';
import { takeOver } from './take-over-mirror.ts';
import { VariantTotals } from './posts/variant-totals.ts';

export type MirrorCountsOptions = Omit<ConsumeOptions, 'partitionsConcurrently'> & {
  readonly delivery: Delivery;
  readonly duplicateWindowMs: number;
};

/** Sends the counts of the counts topic to Unleash, without the duplicates that the worker drops. */
export async function mirrorCounts(options: MirrorCountsOptions): Promise<BatchConsumer | undefined> {
  const { kafka, groupId, log, signal, troubles } = options;
  const committedOffsets = await openCommittedOffsets(kafka, { groupId, log, signal, troubles });
  const totals = new VariantTotals();
  const partitions = new Map<number, MirrorPartition>();
  const consumer = await consume({ ...options, partitionsConcurrently: 2 }, async (batch) => {
    let partition = partitions.get(batch.partition);
    if (partition?.generation !== batch.group.generation) {
      partition = await takeOver({ ...options, totals, committedOffsets }, batch);
      partitions.set(batch.partition, partition);
    }
    await partition.consume(batch);
  });
  return {
    isJoined: () => consumer?.isJoined() ?? false,
    async stop() {
      await consumer?.stop();
      await committedOffsets.close();
    },
  };
}
