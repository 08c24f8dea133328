import {
  type CommittedOffset,
  type CommittedOffsets,
  type FetchedBatch,
  LostPartition,
  withHeartbeats,
} from '#core/kafka';
import { createBackoff } from '#base/runtime';
import { MirrorPartition, type PartitionOptions } from './mirrored-partition.ts';
import { type Progress, decodeProgress } from './progress.ts';

export type TakeOverOptions = PartitionOptions & {
  readonly committedOffsets: Pick<CommittedOffsets, 'read'>;
};

/** Reads the progress of a partition after joining the group. */
export async function takeOver(options: TakeOverOptions, batch: FetchedBatch): Promise<MirrorPartition> {
  const { topic, delivery } = options;
  const { partition, group } = batch;
  const { from, current } = progressOf(await readCommitted(options, batch), batch);
  delivery.log.info({ topic, partition, from: from.toString() }, 'partition taken over');
  return new MirrorPartition(options, { from, current, partition, generation: group.generation });
}

/** A log that begins before the commit is not the log that was mirrored. */
function progressOf(committed: CommittedOffset | undefined, { from }: FetchedBatch): Progress {
  if (committed === undefined || from < committed.offset) return { from, current: undefined };
  return decodeProgress(committed.metadata) ?? { from: committed.offset, current: undefined };
}

async function readCommitted(
  { committedOffsets, topic, delivery: { log, signal } }: TakeOverOptions,
  { partition, group }: FetchedBatch,
): Promise<CommittedOffset | undefined> {
  const backoff = createBackoff({ firstMs: 100, maxMs: 3000 });
  for (;;) {
    group.check();
    try {
      return await withHeartbeats(group, committedOffsets.read(topic, partition));
    } catch (err) {
      if (err instanceof LostPartition) throw err;
      log.warn({ err, topic, partition }, 'committed offset not read, trying again');
    }
    if (signal.aborted || group.isStopping()) throw new LostPartition();
    await withHeartbeats(group, backoff.wait(signal));
  }
}
