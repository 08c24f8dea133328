import { FlagmeterError } from '#runtime';
import type { Blocks } from '#stores';
import type { WorkerMetrics } from './metrics.ts';

/** A block takes a place in a table's window for each month that it touches: with late data at most three. */
const PLACES_PER_BLOCK = 3;
/** Clocks of workers and of ClickHouse may differ by this much. */
const CLOCK_SLACK_MS = 60_000;
/** The rest is for what other workers store while we decide. */
const LARGEST_USED_RATIO = 0.9;

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
  blocks: Blocks,
  metrics: WorkerMetrics,
  { topic, partition, since }: BlockInDoubt,
): Promise<void> {
  const { blocks: stored, windowPlaces } = await blocks.readDeduplication(since - CLOCK_SLACK_MS);
  const usedRatio = (stored * PLACES_PER_BLOCK) / windowPlaces;
  metrics.deduplicationWindowUsed.set({ topic, partition }, usedRatio);
  if (usedRatio > LARGEST_USED_RATIO) {
    throw new FlagmeterError(
      'deduplication-window',
      `${topic}/${partition}: the block in doubt may be forgotten already`,
    );
  }
}
