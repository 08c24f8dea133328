import { type Block, type CountSums, NO_BLOCK_REASONS, SAMPLE_TOPIC, sumTimes } from '#core/counting';
import { impactOf } from './impact.ts';
import { sampleDays, sumsOf } from './traffic.ts';

/** Few blocks are stored sooner than many, and a week is small enough for memory. */
const DAYS_PER_BLOCK = 7;

/** Of the topic of the sample, which is in no log. With several shards, the first one has its evaluations. */
export const SAMPLE_PARTITION = 0;

/** How many blocks a complete sample has. */
export function blockCount(madeAt: number): number {
  return Math.ceil(sampleDays(madeAt).length / DAYS_PER_BLOCK);
}

/**
 * The evaluations and samples as blocks, in order. The epoch is the second at which the sample was made: each sample has its own tokens,
 * so ClickHouse does not mistake it for one that was removed.
 */
export function* blocksOf(madeAt: number): Generator<Block> {
  const days = sampleDays(madeAt);
  for (let index = 0; index < blockCount(madeAt); index += 1) {
    const ofBlock = days.slice(index * DAYS_PER_BLOCK, (index + 1) * DAYS_PER_BLOCK);
    const sums = sumsOf(ofBlock, madeAt);
    const received = reportsOf(sums);
    yield {
      range: {
        topic: SAMPLE_TOPIC,
        epoch: madeAt / 1000,
        partition: SAMPLE_PARTITION,
        from: BigInt(index),
        to: BigInt(index + 1),
      },
      sums,
      refusals: [],
      tally: { received, counted: received, refused: 0, duplicate: 0, dead: 0 },
      refusedByReason: new Map(),
      impact: impactOf(ofBlock, madeAt),
      reasons: NO_BLOCK_REASONS,
      series: [],
      senders: [],
      spans: [],
      evidence: [],
      ...sumTimes(sums),
      batches: [],
      duplicateBatches: 0,
      deadLetters: [],
      receivedFrom: madeAt,
      receivedTo: madeAt,
      appendedTo: madeAt,
    };
  }
}

function reportsOf(sums: CountSums): number {
  let reports = 0;
  for (let row = 0; row < sums.rowCount; row += 1) reports += sums.reportsOf(row);
  return reports;
}
