import { expect } from 'chai';
import { type Blocks, createBlocks, runStatement } from '#clickhouse';
import type { Block } from '#counting';
import { type OwnClickHouse, ownClickHouse } from '../../support/engines/own-engines.ts';
import { aBlock, readFilledTables } from '../../support/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { type World, createWorld } from '../../support/world.ts';

const WAYS = [
  ['was killed', (clickhouse: OwnClickHouse) => clickhouse.kill()],
  ['was stopped', (clickhouse: OwnClickHouse) => clickhouse.stop()],
] as const;

describe('a session of ClickHouse', () => {
  let clickhouse: OwnClickHouse;
  let world: World;
  let blocks: Blocks;
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

  it('lasts over many INSERTs', async () => {
    const session = await blocks.openSession();
    for (let time = 0; time < 20; time += 1) {
      expect(await blocks.insert(nextBlock(), session)).to.equal(session);
    }
  });

  for (const [title, end] of WAYS) {
    it(`from before the server ${title} stores nothing: if the tokens are lost, the markers decide`, async () => {
      const session = await blocks.openSession();
      const block = nextBlock();
      await blocks.insert(block, session);
      const whole = await readFilledTables(world);
      await forgetTokens('usage_daily');
      await end(clickhouse);
      await clickhouse.restart();

      expect(await blocks.insert(block, session)).to.not.equal(session);
      expect(await readFilledTables(world)).to.deep.equal(whole);
    });
  }

  it('expires, and a new block can still be stored', async () => {
    const before = await countBlocks();
    await blocks.insert(nextBlock(), 'a session that nobody opened');

    expect(await countBlocks()).to.equal(before + 1);
  });

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
