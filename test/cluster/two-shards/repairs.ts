import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readRows, refreshVerdicts, runStatement } from '#core/clickhouse';
import { isoDay } from '#base/schema';
import { startWorker } from '../../../services/worker/index.ts';
import { itNightly } from '../../support/nightly.ts';
import { countAsOlderWorker } from '../../support/stories/older-worker.ts';
import { codeOf } from '../../support/code-of.ts';
import { aFreshCountsValue, appendCounts } from '../../support/stack/engines/kafka/kafka-log.ts';
import type { OwnServers } from '../../support/stack/engines/own-cluster.ts';
import { tablesOf } from '../../support/stack/engines/clickhouse/replica-accounting.ts';
import { type UnleashHistory, createUnleashHistory } from '../../support/stack/engines/unleash-history.ts';
import { type CliOutcome, callCli } from '../../support/stack/processes/cli-in-process.ts';
import { bytesOf } from '../../support/builders/builders.ts';
import { type World, createWorld } from '../../support/world.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS);
/** From before the imported history to the day after the run, which may pass midnight. */
const DAYS = ['--from', isoDay(TODAY - 4), '--to', isoDay(TODAY + 2)];

export function testRepairs(given: () => OwnServers): void {
  let cluster: OwnServers;
  let unleash: UnleashHistory;
  /** On the first server alone. */
  let single: World;
  /** On both shards, with the same topics and Postgres. */
  let world: World;

  before(async () => {
    cluster = given();
    unleash = await createUnleashHistory();
    single = await createWorld({ ...onShards(), ...onlyFirst() });
    const { KAFKA_TOPIC_PREFIX = '', DATABASE_URL = '' } = single.env;
    const sameOthers = { KAFKA_TOPIC_PREFIX, DATABASE_URL, UNLEASH_DATABASE_URL: unleash.url };
    world = await createWorld({ ...onShards(), ...sameOthers });
  });
  after(async () => {
    await world.dispose();
    await single.dispose();
    await unleash.dispose();
  });

  it('fill more shards than before from Kafka, and the worker recognises what was counted', async () => {
    const value = aFreshCountsValue('zero');
    await countInWorker(single, value, aFreshCountsValue('one'));
    const counted = await readViews(single);
    await callCli(world, 'replay', ...DAYS, '--yes');
    expect(await readViews(world)).to.deep.equal(counted);

    const { total } = await countInWorker(world, value);
    expect(total).to.include({ received: 3, counted: 2, duplicate: 1 });
    expect(await readViews(world)).to.deep.equal(counted);
    await expectAgreement(world);
  });

  it('count and drop dead letters in the shard of their partition', async () => {
    const values = ['good', 'replayed', 'given-up'].map(aFreshCountsValue);
    const messages = values.map((value, index) => ({ value, isDead: index > 0 }));
    await countAsOlderWorker(world, [...messages, { value: bytesOf('not a message'), isDead: true }], 3);
    await callCli(world, 'dead', 'drop', `${world.config.kafka.topics.counts}:3:2`, '--yes');
    const { output } = await callCli(world, 'dead', 'replay', '--all', '--yes');
    const again = await callCli(world, 'dead', 'replay', '--all', '--yes');

    expect(output).to.include('1 counted').and.include('1 left unchanged');
    expect(again.output).to.include('1 left unchanged').and.not.include('counted');
    expect(await countReplayed()).to.deep.equal([0, 1]);
    const { output: accounting, exitCode } = await callCli(world, 'reconcile');
    expect(accounting).to.include('dead letters = open + replayed + dropped: 3 = 1 + 1 + 1');
    expect(exitCode).to.equal(0);
  });

  itNightly('import the history of Unleash and the sample, and remove only the sample', async () => {
    await unleash.addDays({ at: new Date((TODAY - 3) * DAY_MS).toISOString(), yes: 7 });
    expect((await callCli(world, 'import-unleash', '--yes')).output).to.include('1 counted');
    const before = await readViews(world);

    await callCli(world, 'sample', '--beside-real-data');
    await expectAgreement(world);
    expect(await readViews(world)).to.not.deep.equal(before);
    await callCli(world, 'sample', '--remove');
    expect(await readViews(world)).to.deep.equal(before);
    await expectAgreement(world);
  });

  itNightly('rebuild the days of each shard from its partitions', async () => {
    const counted = await readViews(world);
    await damage(0, 'alter table blocks delete where partition = 0 and from_offset = 0');
    await damage(0, 'alter table usage_daily delete where 1');
    await damage(1, 'alter table usage_hourly delete where 1');
    await damage(0, 'alter table usage_minutely delete where 1');
    await damage(1, `insert into usage_daily values ('spoilt', 'e', 'a', '${isoDay(TODAY)}', 1, 2, 9, 3)`);
    expect(await readViews(world)).to.not.deep.equal(counted);

    const { output } = await callCli(world, 'replay', ...DAYS, '--yes');
    expect(output).to.include('1 block missing in ClickHouse');
    expect(await readViews(world)).to.deep.equal(counted);
    await expectAgreement(world);
  });

  itNightly('back up and restore each shard, and count the rest from Kafka', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'flagmeter-backup-'));
    try {
      const folder = join(parent, 'night');
      await callCli(world, 'backup', folder);
      await countInWorker(world, aFreshCountsValue('zero-later'), aFreshCountsValue('one-later'));
      const counted = await readViews(world);
      await loseClickHouse();

      const { clickhouse } = world.config;
      const alone = { ...clickhouse, url: cluster.replicas[0]?.address ?? '', cluster: '' };
      expect(await codeOf(() => restore(folder, { ...world.config, clickhouse: alone }))).to.equal('backup');
      expect((await restore(folder)).output).to.include('2 blocks since the backup');
      expect(await readViews(world)).to.deep.equal(counted);
      for (const shard of world.shards.all) await refreshVerdicts(shard);
      await expectAgreement(world);
      expect(await codeOf(() => restore(folder))).to.equal('not-empty');
    } finally {
      await rm(parent, { recursive: true });
    }
  });

  function restore(folder: string, config = world.config): Promise<CliOutcome> {
    return callCli({ ...world, config }, 'restore', folder, '--only', 'clickhouse');
  }

  function onShards(): Record<string, string> {
    return { ...cluster.access, KAFKA_COUNTS_PARTITIONS: '4' };
  }

  function onlyFirst(): Record<string, string> {
    return { CLICKHOUSE_URL: cluster.replicas[0]?.address ?? '', CLICKHOUSE_CLUSTER: '' };
  }

  async function damage(shard: number, statement: string): Promise<void> {
    await runStatement(world.shards.of(shard), statement, { mutations_sync: '2' });
  }

  async function loseClickHouse(): Promise<void> {
    for (const replica of cluster.replicas) {
      const client = cluster.connect(replica);
      for (const name of [world.config.clickhouse.database, tablesOf(world)])
        await runStatement(client, `drop database ${name} sync`);
      await client.close();
    }
  }

  /** The replayed letters in each shard. */
  async function countReplayed(): Promise<number[]> {
    const counts = world.shards.all.map(async (shard) => {
      const sql = `select toUInt32(count()) as letters from blocks where topic like '%replayed%'`;
      return (await readRows<{ letters: number }>(shard, sql))[0]?.letters ?? 0;
    });
    return Promise.all(counts);
  }
}

/** Counts the first value in partition 0, and the second one in partition 1. */
async function countInWorker(world: World, ...values: readonly Uint8Array[]): ReturnType<World['settled']> {
  for (const [partition, value] of values.entries()) await appendCounts(world, [value], partition);
  const worker = await startWorker(world.config, world.log, (error) => {
    throw error;
  });
  try {
    return await world.settled();
  } finally {
    await worker.stop();
  }
}

async function expectAgreement(world: World): Promise<void> {
  const { exitCode, output } = await callCli(world, 'reconcile');
  expect(exitCode, output).to.equal(0);
}

async function readViews(world: World): Promise<unknown> {
  return {
    hours: await world.query('select * except is_complete from usage_by_hour order by all'),
    days: await world.query('select * except is_complete from usage_by_day order by all'),
    seen: await world.query('select * from feature_seen order by all'),
  };
}
