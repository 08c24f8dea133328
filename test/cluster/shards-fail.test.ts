import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { openAccounting, sumTallies } from '#core/accounting';
import { type OwnReplica, type OwnServers, ownShards } from '../support/stack/engines/own-cluster.ts';
import { expectStrayRowToShow } from '../support/stack/engines/clickhouse/stray-row.ts';
import { itNightly } from '../support/nightly.ts';
import { DRAINED_MS, untilStoring } from '../support/stories/faults/replica-faults.ts';
import type { Scene } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';

describeStory('2 ClickHouse, two shards', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let cluster: OwnServers;

  before(async () => {
    cluster = await ownShards();
  });
  afterEach(async () => {
    await cluster.revive();
    await closeScenes();
  });
  after(() => cluster.dispose());

  itNightly('of one server each, which are killed, leave every count exact', async () => {
    const scene = await open({ env: { ...cluster.access }, mayDiffer: true });
    const [first, second] = cluster.replicas as [OwnReplica, OwnReplica];
    await rounds(1, async () => {
      await killUnderLoad(scene, random.pick([[first], [second], [first, second]]));
    });

    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
    await scene.world.drained(DRAINED_MS);
    await expectEachShardFilled(scene);
    await expectStrayRowToShow(scene.world, 1);
  });

  async function killUnderLoad(scene: Scene, servers: readonly OwnReplica[]): Promise<void> {
    await sleep(random.between(0, 1200));
    for (const server of servers) await server.kill();
    await scene.load.acknowledged(20);
    for (const server of cluster.replicas.filter((one) => !servers.includes(one)))
      await untilOtherShardStores(scene, server);
    for (const server of servers) await server.restart();
    await scene.countedEverywhere();
  }

  /** The partitions of the other shard do not wait. */
  async function untilOtherShardStores({ world }: Scene, server: OwnReplica): Promise<void> {
    const db = cluster.connect(server, `${world.config.clickhouse.database}_shard`);
    await untilStoring(db, 6);
    await db.close();
  }

  /** Otherwise the story would show nothing about shards. */
  async function expectEachShardFilled({ world }: Scene): Promise<void> {
    const accounting = openAccounting(world.config, world.log);
    try {
      const { accounting: read, differences } = await accounting.readAgreed();
      expect(differences).to.deep.equal([]);
      const filled = read.partitions.flatMap(({ blocks, shard }) => (blocks > 0 ? [shard] : []));
      expect(new Set(filled)).to.deep.equal(new Set([1, 2]));
      const { received } = sumTallies(read.partitions);
      const minutes = await accounting.readThroughput({ now: Date.now(), minutes: 60 });
      expect(minutes.reduce((sum, minute) => sum + minute.received, 0)).to.equal(received);
    } finally {
      await accounting.close();
    }
  }
});
