import type { Intent } from './intent.ts';

/** The position of a partition: its committed offset and intent in Kafka, and the end of its last block in ClickHouse. */
export type PartitionPosition = {
  readonly committed: bigint;
  readonly intent: Intent | undefined;
  /** 0 if no block is stored: the first one of an epoch begins there. */
  readonly storedTo: bigint;
};

/**
 * Why counting must stop here; undefined if it may go on. Both sides agree if the last block ends at the committed offset or is
 * the block of the intent. Otherwise offsets were reset or data was lost, and going on would leave a gap or count twice.
 */
export function findDiscontinuity({ committed, intent, storedTo }: PartitionPosition): string | undefined {
  if (storedTo === committed || storedTo === intent?.to) return undefined;
  return storedTo > committed
    ? `blocks are stored up to ${storedTo}, but the committed offset is ${committed}: going on would count twice`
    : `blocks are stored up to ${storedTo}, but the committed offset is ${committed}: messages between were not counted`;
}
