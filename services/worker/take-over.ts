import { DuplicateWindow, PoisonGuard, decodeIntent, findDiscontinuity } from '#domain';
import { FlagmeterError } from '#runtime';
import { type CommittedOffset, type CommittedOffsets, type FetchedBatch, LostPartition } from '#stream';
import { Partition, type PartitionOptions } from './partition.ts';
import { untilDone } from './waiting.ts';

export type TakeOverOptions = PartitionOptions & {
  readonly committedOffsets: CommittedOffsets;
  readonly duplicateWindowMs: number;
  readonly maxDeadLetters: number;
};

/** Reads where a partition stands after joining the group: what is committed, and what is stored. */
export async function takeOver(options: TakeOverOptions, batch: FetchedBatch): Promise<Partition> {
  const { topic, epoch, blocks, committedOffsets, duplicateWindowMs, maxDeadLetters, log } = options;
  const { partition, group } = batch;
  const attempts = { group, log: log.child({ partition }) };
  const readCommitted = (): Promise<CommittedOffset | undefined> =>
    untilDone(attempts, () => committedOffsets.read(topic, partition));
  const committed = await readCommitted();
  const from = committed?.offset ?? batch.from;
  const intent = decodeIntent(committed?.metadata ?? null);
  if (intent === 'unknown') {
    throw new FlagmeterError('intent', `${topic}/${partition} carries metadata that is not ours`);
  }
  const history = await untilDone(attempts, () =>
    blocks.readHistory({ topic, epoch, partition }, from, duplicateWindowMs),
  );
  const discontinuity = findDiscontinuity({ committed: from, intent, storedTo: history.storedTo });
  if (discontinuity !== undefined) {
    // A worker that was frozen between the two readings sees the blocks of its successor: no cause for alarm.
    if ((await readCommitted())?.offset !== committed?.offset) throw new LostPartition();
    throw new FlagmeterError('discontinuity', `${topic}/${partition}: ${discontinuity}`);
  }
  const duplicates = new DuplicateWindow(duplicateWindowMs);
  duplicates.load(history.batches);
  const poison = new PoisonGuard(maxDeadLetters);
  poison.load(history.deadBlocks);
  log.info({ partition, from: from.toString(), intent: intent?.to.toString() }, 'partition taken over');
  return new Partition(options, {
    partition,
    generation: group.generation,
    from,
    intent,
    duplicates,
    poison,
  });
}
