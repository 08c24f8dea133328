import { expect } from 'chai';
import { type Blocks, createBlocks, runStatement } from '#core/clickhouse';
import type { Block } from '#core/counting';
import { impactOfEveryType } from '../../../support/builders/builders.ts';
import { type OwnClickHouse, ownClickHouse } from '../../../support/stack/engines/own-engines.ts';
import { aBlock, readFilledTables } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { itNightly } from '../../../support/nightly.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';
import { type World, createWorld } from '../../../support/world.ts';

describe('a ClickHouse that is restarted', () => {
  let clickhouse: OwnClickHouse;
  let world: World;
  let blocks: Blocks;
  /** Of the last block. The first test has block 0. */
  let next = 0n;

  before(async () => {
    clickhouse = await ownClickHouse();
    world = await createWorld({ ...clickhouse.access });
    blocks = createBlocks(world.clickhouse);
  });
  after(async () => {
    await clickhouse.revive();
    await world.dispose();
    await clickhouse.dispose();
  });

  it('recognises the token of a block in every table, without the help of markers', async () => {
    const metrics = [
      aFreshMetric({ featureName: 'kept', yes: 2, no: 3, variants: { blue: 2 } }),
      aFreshMetric({ featureName: 'x'.repeat(300), yes: 5 }),
    ];
    const block = aBlock({
      metrics,
      impactMetrics: impactOfEveryType(),
      reasons: [{ reason: 'static' }],
      points: [{ value: 5 }],
      isTrusted: true,
    });
    await blocks.insertAll([block]);
    const stored = await readFilledTables(world);
    await clickhouse.stop();
    await clickhouse.restart();
    await blocks.insertAll([block]);

    expect(await readFilledTables(world)).to.deep.equal(stored);
    expect(Object.entries(stored).filter(([, rows]) => rows.length === 0)).to.deep.equal([]);
  });

  it('stores nothing in a session from before it was killed: if the tokens are lost, the markers decide', async () => {
    await expectNothingStoredAfter(() => clickhouse.kill());
  });

  itNightly('stores nothing in a session from before it was stopped', async () => {
    await expectNothingStoredAfter(() => clickhouse.stop());
  });

  it('keeps a session over many INSERTs', async () => {
    const session = await blocks.openSession();
    for (let time = 0; time < 5; time += 1) {
      expect(await blocks.insert(nextBlock(), session)).to.equal(session);
    }
  });

  it('stores a new block although the session is over', async () => {
    const before = await countBlocks();
    await blocks.insert(nextBlock(), 'a session that nobody opened');

    expect(await countBlocks()).to.equal(before + 1);
  });

  async function expectNothingStoredAfter(end: () => Promise<unknown>): Promise<void> {
    const session = await blocks.openSession();
    const block = nextBlock();
    await blocks.insert(block, session);
    const whole = await readFilledTables(world);
    await forgetTokens('usage_daily');
    await end();
    await clickhouse.restart();

    expect(await blocks.insert(block, session)).to.not.equal(session);
    expect(await readFilledTables(world)).to.deep.equal(whole);
  }

  function nextBlock(): Block {
    next += 1n;
    return aBlock({ metrics: [aFreshMetric({ yes: 2 })], from: next, batchId: String(next) });
  }

  async function countBlocks(): Promise<number> {
    return (await world.query('select 1 from blocks')).length;
  }

  async function forgetTokens(table: string): Promise<void> {
    for (const places of [0, 20_000]) {
      const setting = `non_replicated_deduplication_window = ${places}`;
      await runStatement(world.clickhouse, `alter table ${table} modify setting ${setting}`);
    }
  }
});
