import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readRows, refreshVerdicts, runStatement } from '#core/clickhouse';
import { isoDay } from '#base/schema';
import { startWorker } from '../../../services/worker/index.ts';
import { appendCounts, aFreshCountsValue } from '../../support/stack/engines/kafka/kafka-log.ts';
import type { OwnCluster, OwnReplica } from '../../support/stack/engines/own-cluster.ts';
import { expectSameAccounting } from '../../support/stack/engines/clickhouse/replica-accounting.ts';
import { itNightly } from '../../support/nightly.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { type World, createWorld } from '../../support/world.ts';

const TODAY = Math.floor(Date.now() / 86_400_000);
/** The day before the run and the day after it, because a run may pass midnight. */
const DAYS = ['--from', isoDay(TODAY - 1), '--to', isoDay(TODAY + 2)];
/** Without what depends on the time of the query. */
const FILLED = {
  usage_by_hour: '* except is_complete',
  usage_by_day: '* except is_complete',
  feature_seen: '*',
};

export function testRepairs(given: () => OwnCluster): void {
  let cluster: OwnCluster;
  let preferred: OwnReplica;
  let other: OwnReplica;
  let world: World;

  before(async () => {
    cluster = given();
    const [first, second] = cluster.replicas;
    if (first === undefined || second === undefined) throw new RangeError('the cluster has too few replicas');
    [preferred, other] = [first, second];
    world = await createWorld({ ...cluster.access, KAFKA_COUNTS_PARTITIONS: '1' });
    await countInWorker('a', 'b');
    await expectSameAccounting(cluster, world);
  });
  after(() => world.dispose());

  it('rebuild lost days and blocks, also on a replica that fetches them later', async () => {
    const counted = await readViews(other);
    await damage('alter table usage_hourly delete where 1');
    await damage('alter table usage_minutely delete where 1');
    await damage(`insert into usage_daily values ('spoilt', 'e', 'a', '${isoDay(TODAY)}', 1, 2, 9, 3)`);
    await damage('alter table blocks delete where from_offset >= 1');
    expect(await readViews(preferred)).to.not.deep.equal(counted);
    const client = cluster.connect(other);
    await runStatement(client, 'system stop fetches');
    await callCli(world, 'replay', ...DAYS, '--yes');
    await runStatement(client, 'system start fetches');
    await client.close();

    await expectSameAccounting(cluster, world);
    expect(await readViews(preferred)).to.deep.equal(counted);
    expect(await readViews(other)).to.deep.equal(counted);
  });

  itNightly('change nothing when they are repeated', async () => {
    const counted = await readViews(other);
    expect((await callCli(world, 'replay', ...DAYS, '--yes')).output).to.include('sums change on 0 days');
    await expectSameAccounting(cluster, world);
    expect(await readViews(other)).to.deep.equal(counted);
  });

  it('let the worker continue', async () => {
    await countInWorker('d');
    await expectSameAccounting(cluster, world);
    expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
  });

  itNightly('back up all rows, and restore them to both', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'flagmeter-backup-'));
    try {
      const folder = join(parent, 'night');
      const late = await insertWhereTheFirstLacksIt();
      await Promise.all([callCli(world, 'backup', folder), late.startFetches()]);
      await late.remove();
      await countInWorker('e');
      await expectSameAccounting(cluster, world);
      const counted = await readViews(other);
      await dropDatabase(preferred);
      const restore = () => callCli(world, 'restore', folder, '--only', 'clickhouse');
      expect(await messageOf(restore())).to.match(/nothing was changed: .*clickhouse has \d+ tables/);
      await dropDatabase(other);

      expect((await restore()).output).to.include('1 block since the backup');
      const restored = await world.query("select yes from usage_by_day where feature_name = 'late'");
      expect(restored).to.deep.equal([{ yes: '1' }]);
      await refreshVerdicts(world.clickhouse);
      await late.remove();
      await expectSameAccounting(cluster, world);
      expect(await readViews(preferred)).to.deep.equal(counted);
      expect(await readViews(other)).to.deep.equal(counted);
      await countInWorker('f');
      await expectSameAccounting(cluster, world);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    } finally {
      await rm(parent, { recursive: true });
    }
  });

  /** A row of a day that the restore does not rebuild. */
  async function insertWhereTheFirstLacksIt() {
    const [first, second] = [preferred, other].map((at) =>
      cluster.connect(at, world.config.clickhouse.database),
    );
    if (first === undefined || second === undefined) throw new RangeError('there are two replicas here');
    await runStatement(first, 'system stop fetches');
    await runStatement(
      second,
      `insert into usage_daily values ('late', 'e', 'a', '${isoDay(TODAY - 40)}', 1, 2, 9, 3)`,
    );
    await second.close();
    return {
      async startFetches() {
        await sleep(1000);
        await runStatement(first, 'system start fetches');
        await first.close();
      },
      remove: () => damage(`alter table usage_daily delete where feature_name = 'late'`),
    };
  }

  async function dropDatabase(replica: OwnReplica): Promise<void> {
    const client = cluster.connect(replica);
    await runStatement(client, `drop database ${world.config.clickhouse.database} sync`);
    await client.close();
  }

  async function messageOf(work: Promise<unknown>): Promise<string> {
    return work.then(() => 'no failure', String);
  }

  /** Each batch in a block by itself. */
  async function countInWorker(...batchIds: readonly string[]): Promise<void> {
    const worker = await startWorker(world.config, world.log, (error) => {
      throw error;
    });
    for (const batchId of batchIds) {
      await appendCounts(world, [aFreshCountsValue(batchId)]);
      await world.settled();
    }
    await worker.stop();
  }

  /** Takes effect on both replicas. */
  async function damage(statement: string): Promise<void> {
    await runStatement(world.clickhouse, statement, { mutations_sync: '2' });
  }

  /** What one replica shows. */
  async function readViews(replica: OwnReplica): Promise<unknown> {
    const db = cluster.connect(replica, world.config.clickhouse.database);
    const rows: unknown[] = [];
    for (const [view, columns] of Object.entries(FILLED))
      rows.push(await readRows(db, `select ${columns} from ${view} order by all`));
    await db.close();
    return rows;
  }
}
