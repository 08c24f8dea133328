import type { Content } from '../../clickhouse/content.ts';
import type { World } from '../../world.ts';
import type { CountsLog } from '../../losses.ts';
import { countsLogs, isWithin, lostRanges, readMessages } from '../messages.ts';

/**
 * Blocks tile the log, except for messages of which an operator knows that they are lost. For metrics and for samples, received =
 * counted + refused + duplicate + dead.
 */
export function* judgeBlocks(world: World, content: Content): Generator<string> {
  for (const one of countsLogs(world)) yield* judgePartition(world, content, one);
}

function* judgePartition(world: World, content: Content, one: CountsLog): Generator<string> {
  const { epoch, partition, log } = one;
  const blocks = content.blocks
    .filter((block) => block.epoch === epoch && block.partition === partition)
    .sort((a, b) => a.from - b.from);
  const lost = lostRanges(world, one);
  const isLost = (from: number, to: number): boolean =>
    lost.some((range) => range.from === from && range.to === to);
  let position = 0;
  const accounted = { metrics: 0, samples: 0, dead: 0 };
  for (const { from, to, tally, samples } of blocks) {
    if (from !== position && !isLost(position, from))
      yield `blocks of partition ${partition}: one begins at ${from}, the one before ended at ${position}`;
    position = to;
    accounted.metrics += tally.received;
    accounted.samples += samples.received;
    accounted.dead += tally.dead;
    for (const [what, { received, counted, refused, duplicate, dead }] of Object.entries({
      tally,
      samples,
    })) {
      const sum = counted + refused + duplicate + dead;
      if (sum !== received)
        yield `block ${from} of partition ${partition}: ${what} received ${received}, explained ${sum}`;
    }
  }
  const { replicatedTo } = log;
  if (position !== replicatedTo && !isLost(position, replicatedTo))
    yield `partition ${partition} has ${replicatedTo} messages, stored are ${position}`;
  for (const [offset, message] of readMessages(log).entries()) {
    if (isWithin(lost, offset)) continue;
    accounted.metrics -= message?.received ?? 1;
    accounted.samples -= message?.impact.received ?? 0;
    accounted.dead -= message === undefined ? 1 : 0;
  }
  for (const [what, difference] of Object.entries(accounted))
    if (difference !== 0) yield `partition ${partition}: ${difference} ${what} more accounted than received`;
}
