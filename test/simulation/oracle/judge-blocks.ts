import type { Content } from '../clickhouse/content.ts';
import { COUNTS } from '../names.ts';
import type { World } from '../world.ts';
import { readMessages } from './messages.ts';

/** Blocks tile the log. For metrics and for samples, received = counted + refused + duplicate + dead. */
export function* judgeBlocks(world: World, content: Content): Generator<string> {
  for (let partition = 0; partition < world.partitions; partition += 1)
    yield* judgePartition(world, content, partition);
}

function* judgePartition(world: World, content: Content, partition: number): Generator<string> {
  const blocks = content.blocks
    .filter((block) => block.partition === partition)
    .sort((a, b) => a.from - b.from);
  let position = 0;
  const accounted = { metrics: 0, samples: 0, dead: 0 };
  for (const { from, to, tally, samples } of blocks) {
    if (from !== position)
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
  const { replicatedTo } = world.brokers.logOf(COUNTS, partition);
  if (position !== replicatedTo)
    yield `partition ${partition} has ${replicatedTo} messages, stored are ${position}`;
  for (const message of readMessages(world, partition)) {
    accounted.metrics -= message?.received ?? 1;
    accounted.samples -= message?.impact.received ?? 0;
    accounted.dead -= message === undefined ? 1 : 0;
  }
  for (const [what, difference] of Object.entries(accounted))
    if (difference !== 0) yield `partition ${partition}: ${difference} ${what} more accounted than received`;
}
