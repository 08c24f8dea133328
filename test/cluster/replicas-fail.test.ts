import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { findDifferences, readStoredAccounting, sumTallies } from '#accounting';
import { caughtUp, openClickHouse, readRows, replicasOf, runStatement } from '#clickhouse';
import { type OwnCluster, type OwnReplica, ownCluster } from '../support/engines/own-cluster.ts';
import type { OwnEngine } from '../support/engines/own-engines.ts';
import { eventually } from '../support/eventually.ts';
import type { Scene } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';

describeStory('2 ClickHouse, two replicas', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let cluster: OwnCluster;
  let preferred: OwnReplica;
  let other: OwnReplica;

  before(async () => {
    cluster = await ownCluster();
    const [first, second] = cluster.replicas;
    if (first === undefined || second === undefined) throw new RangeError('the cluster has too few replicas');
    [preferred, other] = [first, second];
  });
  afterEach(async () => {
    for (const engine of [cluster.zookeeper, ...cluster.replicas]) await engine.revive();
    await closeScenes();
  });
  after(() => cluster.dispose());

  it('that are killed, lag and lose ZooKeeper leave every count exact, on both', async () => {
    // While a replica lags, its tables hold different blocks, so the accounting really differs there.
    const scene = await open({ env: { ...cluster.access }, mayDiffer: true });
    await rounds(1, async () => {
      for (const fault of shuffled([killPreferred, killZooKeeper, killWhileTheOtherLags])) {
        await scene.load.acknowledged(random.between(5, 20));
        await fault(scene);
        await scene.counted();
      }
    });

    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
    await expectSameAccounting(scene);
  });

  /** The other replica counts on meanwhile, once it has everything that was stored. */
  async function killPreferred(scene: Scene): Promise<void> {
    await killDuring(scene, preferred);
  }

  async function killZooKeeper(scene: Scene): Promise<void> {
    await killDuring(scene, cluster.zookeeper);
  }

  async function killDuring(scene: Scene, engine: OwnEngine): Promise<void> {
    await sleep(random.between(0, 1200));
    await engine.kill();
    await scene.load.acknowledged(20);
    await engine.restart();
  }

  /** Nobody has the latest blocks while the preferred replica is away. */
  async function killWhileTheOtherLags(scene: Scene): Promise<void> {
    const client = cluster.connect(other);
    await runStatement(client, 'system stop fetches');
    await scene.load.acknowledged(20);
    await killDuring(scene, preferred);
    await runStatement(client, 'system start fetches');
    await client.close();
  }

  async function expectSameAccounting({ world }: Scene): Promise<void> {
    const totals = [];
    for (const replica of replicasOf(world.config.clickhouse)) {
      const db = openClickHouse(replica);
      const tables = await readRows<{ table: string }>(
        db,
        'select table from system.replicas where database = currentDatabase()',
      );
      await eventually(
        () =>
          caughtUp(
            db,
            tables.map(({ table }) => table),
          ).then(
            () => true,
            () => false,
          ),
        (hasAll) => hasAll,
      );
      const stored = await readStoredAccounting(db, world.config.kafka.topics.counts);
      const partitions = stored.partitions.map((partition) => ({ ...partition, inFlight: 0n }));
      expect(findDifferences({ ...stored, partitions })).to.deep.equal([]);
      totals.push(sumTallies(partitions));
      await db.close();
    }
    expect(totals[0]).to.deep.equal(totals[1]);
  }

  function shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.flatMap(() => left.splice(random.between(0, left.length - 1), 1));
  }
});
