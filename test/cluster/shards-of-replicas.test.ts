import { expect } from 'chai';
import { type OwnCluster, ownCluster } from '../support/stack/engines/own-cluster.ts';
import { expectSameAccounting, tablesOf } from '../support/stack/engines/clickhouse/replica-accounting.ts';
import { expectStrayRowToShow } from '../support/stack/engines/clickhouse/stray-row.ts';
import { itNightly } from '../support/nightly.ts';
import * as faults from '../support/stories/faults/replica-faults.ts';
import type { Scene } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';

const { DRAINED_MS, untilStoring } = faults;

type Faults = readonly [faults.ReplicaFault, ...faults.ReplicaFault[]];

describeStory('2 ClickHouse, two shards of two replicas', (story) => {
  const { random, rounds, open, closeScenes, expectHonest } = story;
  const QUICK: Faults = [
    faults.killPreferred,
    faults.killZooKeeper,
    faults.killWhileTheOtherLags,
    faults.restartOneByOne,
  ];
  /** After some of them a replica needs minutes until it is sure of its parts. */
  const ALL: Faults = [
    ...QUICK,
    faults.cutFromZooKeeper,
    faults.cutWithTheLatestBlocks,
    faults.freezeUntilTheSessionEnds,
    faults.replaceTheOther,
  ];
  let cluster: OwnCluster;

  before(async () => {
    cluster = await ownCluster({ shards: ['a', 'b'], replicas: 2 });
  });
  afterEach(async () => {
    await cluster.revive();
    await closeScenes();
  });
  after(() => cluster.dispose());

  itNightly('leave every count exact on all four, whatever fails', async () => {
    // While a replica lags, its tables hold different blocks, so the accounting really differs there.
    const scene = await open({ env: { ...cluster.access }, mayDiffer: true });
    await rounds(1, async (round) => {
      const onlyOnce = [loseShard, faults.addReplica][round];
      if (onlyOnce !== undefined) await play(onlyOnce, scene);
      await play(random.pick(round === 0 ? QUICK : ALL), scene);
    });

    await scene.load.stop();
    await expectExact(scene);
    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
    await expectStrayRowToShow(scene.world, 1);
  });

  /** The fault hits a random shard. Afterwards the accounting agrees on each replica of both. */
  async function play(fault: faults.ReplicaFault, scene: Scene): Promise<void> {
    const name = random.pick(['a', 'b']);
    const [preferred, other] = cluster.replicas.filter(({ shard }) => shard === name);
    if (preferred === undefined || other === undefined) throw new RangeError('a shard has two replicas here');
    await scene.load.acknowledged(random.between(5, 20));
    await fault({ scene, cluster, preferred, other, random });
    await scene.load.whilePaused(() => expectExact(scene));
  }

  async function expectExact({ world }: Scene): Promise<void> {
    await world.drained(DRAINED_MS);
    await expectSameAccounting(cluster, world);
  }

  /** Its partitions wait. Those of the other shard do not. */
  async function loseShard(stage: faults.Stage): Promise<void> {
    const { scene, preferred, other } = stage;
    const [elsewhere] = cluster.replicas.filter(({ shard }) => shard !== preferred.shard);
    if (elsewhere === undefined) throw new RangeError('there are two shards here');
    const client = cluster.connect(elsewhere, tablesOf(scene.world));
    await Promise.all([preferred.kill(), other.kill()]);
    await untilStoring(client, 6);
    await client.close();
    await Promise.all([preferred.restart(), other.restart()]);
  }
});
