import { expect } from 'chai';
import { createBlocks } from '#clickhouse';
import { impactOfEveryType } from '../../support/builders/builders.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/engines/own-engines.ts';
import { aBlock, readFilledTables } from '../../support/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../support/requests/post.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('the token of a block', () => {
  let clickhouse: OwnClickHouse;
  let world: World;

  before(async () => {
    clickhouse = await ownClickHouse();
    world = await createWorld(clickhouse.access);
  });
  after(async () => {
    await world.dispose();
    await clickhouse.dispose();
  });

  it('is recognised by every table after ClickHouse was restarted, without the help of markers', async () => {
    const metrics = [
      aFreshMetric({ featureName: 'kept', yes: 2, no: 3, variants: { blue: 2 } }),
      aFreshMetric({ featureName: 'x'.repeat(300), yes: 5 }),
    ];
    const block = aBlock({
      metrics,
      impactMetrics: impactOfEveryType(),
      reasons: [{ reason: 'static' }],
      points: [{ value: 5 }],
    });
    await createBlocks(world.clickhouse).insertAll([block]);
    const stored = await readFilledTables(world);
    await clickhouse.stop();
    await clickhouse.restart();
    await createBlocks(world.clickhouse).insertAll([block]);

    expect(await readFilledTables(world)).to.deep.equal(stored);
    expect(Object.entries(stored).filter(([, rows]) => rows.length === 0)).to.deep.equal([]);
  });
});
