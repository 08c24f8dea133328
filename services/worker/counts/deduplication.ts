import { type Blocks, LARGEST_USED_RATIO } from '#core/clickhouse';
import { FlagmeterError } from '#base/runtime';
import type { WorkerMetrics } from '../metrics.ts';

export type BlockInDoubt = {
  readonly topic: string;
  readonly partition: number;
  /** The earliest time at which the INSERT may have been sent, epoch milliseconds. */
  readonly since: number;
};

/**
 * Call it before an INSERT that may already be stored. It reports which part of the deduplication window has passed since the
 * first try. It throws `deduplication-window` if ClickHouse may soon forget that try, because a repetition would then count
 * twice.
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
