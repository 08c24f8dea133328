import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createBlocks, refreshVerdicts, runStatement } from '#core/clickhouse';
import { EMPTIED_VARIABLE } from '../../../../tools/run/suite/emptied.ts';
import { impactOfEveryType } from '../../../support/builders/builders.ts';
import { isLikeNew } from '../../../support/stack/engines/clickhouse/emptied-databases.ts';
import { aBlock, readFilledTables } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';
import { type World, createWorld } from '../../../support/world.ts';

const BLOCK = aBlock({
  metrics: [aFreshMetric({ yes: 2, no: 3, variants: { blue: 2 } }), aFreshMetric({ featureName: '' })],
  impactMetrics: impactOfEveryType(),
  reasons: [{ reason: 'static' }],
  points: [{ value: 5 }],
  isTrusted: true,
});

/** Worlds leave their databases to later ones (emptied-databases.ts). */
describe('the database of an ended world', () => {
  const shared = process.env[EMPTIED_VARIABLE];

  // Otherwise another process could have it before the next world here.
  before(async () => {
    if (shared !== undefined)
      process.env[EMPTIED_VARIABLE] = await mkdtemp(path.join(tmpdir(), 'flagmeter-emptied-'));
  });

  after(async () => {
    const own = process.env[EMPTIED_VARIABLE];
    if (shared === undefined || own === undefined) return;
    process.env[EMPTIED_VARIABLE] = shared;
    await rm(own, { recursive: true });
  });

  it('is empty in the next world', async () => {
    const first = await createWorld();
    await store(first, first.config.kafka.topics.counts);
    const stored = await readFilledTables(first);
    expect(Object.values(stored).filter((rows) => rows.length === 0)).to.deep.equal([]);
    await first.dispose();

    const second = await createWorld();
    expect(second.config.clickhouse.database).to.equal(first.config.clickhouse.database);
    expect(Object.values(await readFilledTables(second)).flat()).to.deep.equal([]);
    await second.dispose();
  });

  it('stores the same blocks in the next world, also those whose rows were deleted', async () => {
    const first = await createWorld();
    await store(first, 'counts');
    const stored = await readFilledTables(first);
    await runStatement(
      first.clickhouse,
      'alter table usage_daily delete where 1 settings mutations_sync = 1',
    );
    await first.dispose();

    const second = await createWorld();
    expect(second.config.clickhouse.database).to.equal(first.config.clickhouse.database);
    await store(second, 'counts');
    expect(await readFilledTables(second)).to.deep.equal(stored);
    expect(await isLikeNew(second.config, second.clickhouse)).to.equal(true);
    await second.dispose();
  });

  it('is dropped if it remembers tokens that no truncating drops, as those of a replaced partition', async () => {
    const first = await createWorld();
    await store(first, 'counts');
    const stored = await readFilledTables(first);
    for (const statement of [
      'create table other as usage_daily',
      'insert into other select * from usage_daily',
      `alter table usage_daily replace partition id '${await partitionOf(first)}' from other`,
      'drop table other sync',
    ])
      await runStatement(first.clickhouse, statement);
    await first.dispose();

    const second = await createWorld();
    expect(second.config.clickhouse.database).to.not.equal(first.config.clickhouse.database);
    await store(second, 'counts');
    expect(await readFilledTables(second)).to.deep.equal(stored);
    await second.dispose();
  });

  it('is dropped if anything but the rows of blocks would be left', async () => {
    const world = await createWorld();
    const { clickhouse, config } = world;
    const isLeft = (): Promise<boolean> => isLikeNew(config, clickhouse);
    const run = (statement: string): Promise<void> => runStatement(clickhouse, statement);
    await store(world, config.kafka.topics.counts);
    await refreshVerdicts(clickhouse);
    expect(await isLeft()).to.equal(true);

    await run('create table another (number UInt8) engine = Memory');
    expect(await isLeft()).to.equal(false);
    await run('drop table another sync');
    await run('detach table usage_daily_view');
    expect(await isLeft()).to.equal(false);
    await run('attach table usage_daily_view');
    expect(await isLeft()).to.equal(true);
    await world.dispose();
  });
});

async function partitionOf(world: World): Promise<string> {
  const [row] = await world.query<{ partition_id: string }>(
    `select partition_id
     from system.parts
     where database = currentDatabase()
       and table = 'usage_daily'
       and active`,
  );
  return row?.partition_id ?? '';
}

async function store({ clickhouse }: World, topic: string): Promise<void> {
  await createBlocks(clickhouse).insert({ ...BLOCK, range: { ...BLOCK.range, topic } });
}
