import { type Blocks, LARGEST_USED_RATIO } from '#clickhouse';
import { FlagmeterError } from '#runtime';
import type { WorkerMetrics } from './metrics.ts';

export type BlockInDoubt = {
  readonly topic: string;
  readonly partition: number;
  /** When its INSERT may have been sent first, epoch milliseconds. */
  readonly since: number;
};

/**
 * To be called before an INSERT that may have been stored already. Shows how much of the deduplication window was used
 * up since its first try, and throws `deduplication-window` when ClickHouse may soon have forgotten it: then a
 * repetition would count twice.
 */
export async function checkDeduplicationWindow(
  blocks: Pick<Blocks, 'readWindowUsed'>,
  metrics: WorkerMetrics,
  { topic, partition, since }: BlockInDoubt,
): Promise<void> {
  const usedRatio = await blocks.readWindowUsed(since);
  metrics.deduplicationWindowUsed.set({ topic, partition }, usedRatio);
  if (usedRatio > LARGEST_USED_RATIO) {
    throw new FlagmeterError(
      'deduplication-window',
      `${topic}/${partition}: the block in doubt may be forgotten already`,
    );
  }
}
