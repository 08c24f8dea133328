import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { SAMPLE_TOPIC } from '#core/counting';
import { readSample } from '../../../../services/cli/sample/index.ts';
import { sharedWorld } from '../../../support/world.ts';

describe('a sample that Postgres has lost', () => {
  const world = sharedWorld();

  it('is known from ClickHouse as an incomplete one, so that it is neither made twice nor left behind', async () => {
    expect(await readSample(world)).to.equal(undefined);
    await runStatement(
      world.clickhouse,
      `insert into blocks (topic, epoch, partition, from_offset, to_offset) values ('${SAMPLE_TOPIC}', 1790000000, 0, 0, 1)`,
    );
    expect(await readSample(world)).to.deep.equal({ madeAt: 1_790_000_000_000, isComplete: false });
  });
});
