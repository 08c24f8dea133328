import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Blocks, createBlocks } from '#core/clickhouse';
import { type Block, DuplicateWindow, buildBlock } from '#core/counting';
import { aCountsValue } from '../../support/builders/builders.ts';
import type { Random } from '../../support/builders/random.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/stack/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { randomMetrics } from '../../support/stories/load.ts';
import { describeStory } from '../../support/stories/story.ts';
import { type World, createWorld } from '../../support/world.ts';

const MESSAGES = 30;

/**
 * A server that dies between the entry of its deduplication log and the part comes back with only one of them. This
 * window lasts a few hundred microseconds for each table, so more rounds hit it more often. By day, test/integration/engines/simulation kills a
 * ClickHouse in the middle of an INSERT.
 */
describeStory('2 ClickHouse, inside an INSERT', ({ random, rounds }) => {
  let clickhouse: OwnClickHouse;
  let world: World;

  before(async () => {
    clickhouse = await ownClickHouse();
    world = await createWorld({ ...clickhouse.access });
  });
  after(async () => {
    await clickhouse.revive();
    await world.dispose();
    await clickhouse.dispose();
  });

  itNightly(
    'killed while it writes its parts leaves every count exact when the block is completed',
    async () => {
      const blocks = createBlocks(world.clickhouse);
      await rounds(3, async (round) => {
        const block = blockOf(round, random);
        const insert = Promise.allSettled([blocks.insert(block)]); // the outcome is unknown
        await sleep(random.between(10, 60));
        await clickhouse.kill();
        await insert;
        await clickhouse.restart();
        await eventually(
          () => tryToComplete(blocks, block),
          (isDone) => isDone,
        );

        const [sums] = await world.query(SUMS);
        expect(sums, `after round ${round}`).to.deep.equal({
          usage_hourly: '0',
          usage_daily: '0',
          variants_hourly: '0',
          variants_daily: '0',
          usage_minutely: '0',
          variants_minutely: '0',
          blocks: String(round + 1),
        });
      });
    },
  );
});

/** The difference between each table and the blocks. */
const SUMS = `
  with
    (select sum(counted) from blocks) as counted,
    (select sum(arraySum(day_variants)) from blocks) as served
  select
    (select sum(reports) from usage_by_hour) - counted as usage_hourly,
    (select sum(reports) from usage_by_day) - counted as usage_daily,
    (select sum(count) from variants_by_hour) - served as variants_hourly,
    (select sum(count) from variants_by_day) - served as variants_daily,
    (select sum(reports) from usage_by_minute) - counted as usage_minutely,
    (select sum(count) from variants_by_minute) - served as variants_minutely,
    (select count() from blocks) as blocks`;

async function tryToComplete(blocks: Blocks, block: Block): Promise<boolean> {
  try {
    await blocks.complete(block);
    return true;
  } catch {
    return false; // the server is not up yet
  }
}

function blockOf(round: number, random: Random): Block {
  const from = BigInt(round * MESSAGES);
  const messages = Array.from({ length: MESSAGES }, (_, index) => {
    const offset = from + BigInt(index);
    const value = aCountsValue({
      batchId: `batch-${offset}`,
      receivedAt: Date.now(),
      metrics: randomMetrics(random),
    });
    return { offset, value, appendedAt: Date.now() };
  });
  const range = { topic: 'counts', epoch: 1, partition: 0, from, to: from + BigInt(MESSAGES) };
  return buildBlock(range, messages, { duplicates: new DuplicateWindow(45_000) }).block;
}
