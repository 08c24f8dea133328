import { partitionOfSender } from '#core/counting';
import type { PartitionSender } from './partition-sender.ts';

/**
 * All points of counters that add up from their start go to one partition, whose worker knows their last values. It never changes, not
 * even with the number of partitions.
 */
export const PARTITION_OF_COUNTERS = 0;

type Candidate = Pick<PartitionSender, 'isRejecting' | 'bytes'>;

export type PartitionChoice = <Sender extends Candidate>(
  partitionSenders: readonly Sender[],
  sender: string | undefined,
) => Sender;

/** The partition of the sender, so that its retries go to the same one. For an unknown sender, the best partition. */
export function createPartitionChoice(): PartitionChoice {
  /** Where the search for a partition begins; another place in each process. */
  const beginning = Math.random();
  return (partitionSenders, sender) => {
    const partitionSender =
      sender === undefined
        ? bestPartition(partitionSenders, Math.floor(beginning * partitionSenders.length))
        : partitionSenders[partitionOfSender(sender, partitionSenders.length)];
    if (partitionSender === undefined) throw new RangeError('a topic has at least one partition');
    return partitionSender;
  };
}

/**
 * A hundred bodies of 10 rows, or two of 480. Not more, because all of them wait if the broker of the partition is unreachable.
 */
const FILLED_BYTES = 32 * 1024;

/**
 * The first partition whose next send has room, because few full sends cost less than many small ones. If none has, the one with the
 * fewest bytes. A partition that rejects is always worse.
 */
function bestPartition<Sender extends Candidate>(
  partitionSenders: readonly Sender[],
  first: number,
): Sender | undefined {
  let best: Sender | undefined;
  for (let i = 0; i < partitionSenders.length; i += 1) {
    const candidate = partitionSenders[(first + i) % partitionSenders.length];
    if (candidate === undefined || candidate.isRejecting) continue;
    if (candidate.bytes < FILLED_BYTES) return candidate;
    if (best === undefined || candidate.bytes < best.bytes) best = candidate;
  }
  return best ?? partitionSenders[first];
}
