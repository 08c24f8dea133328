import { expect } from 'chai';
import type { OwnCluster, OwnReplica } from '../../support/stack/engines/own-cluster.ts';
import { expectSameAccounting } from '../../support/stack/engines/clickhouse/replica-accounting.ts';
import { isNight, itNightly } from '../../support/nightly.ts';
import { loseAnInsertAnswer } from '../../support/stories/faults/lost-answers.ts';
import { startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import {
  DRAINED_MS,
  type ReplicaFault,
  addReplica,
  cutFromZooKeeper,
  cutWithTheLatestBlocks,
  freezeUntilTheSessionEnds,
  killBoth,
  killPreferred,
  killWhileTheOtherLags,
  killZooKeeper,
  replaceTheOther,
  restartOneByOne,
  shuffled,
} from '../../support/stories/faults/replica-faults.ts';
import type { Scene } from '../../support/stories/scene.ts';
import type { Story } from '../../support/stories/story.ts';

/** A block costs twice as much here as on a single server, because each replica stores it. */
const ONE_PARTITION = isNight() ? {} : { KAFKA_COUNTS_PARTITIONS: '1' };

export function tellStory(
  given: () => OwnCluster,
  { random, rounds, open, closeScenes, expectHonest }: Story,
): void {
  let cluster: OwnCluster;
  let preferred: OwnReplica;
  let other: OwnReplica;

  before(() => {
    cluster = given();
    const [first, second] = cluster.replicas;
    if (first === undefined || second === undefined) throw new RangeError('the cluster has too few replicas');
    [preferred, other] = [first, second];
  });
  afterEach(async () => {
    await cluster.revive();
    await closeScenes();
  });

  // By day, blocks.ts kills a replica and lets one lag, and the simulation has all orders of that.
  itNightly('that are killed, lag or are frozen leave every count exact, on both', async () => {
    await survive([killWhileTheOtherLags, freezeUntilTheSessionEnds]);
  });

  itNightly('that are all away, cut off or lose ZooKeeper leave every count exact, on both', async () => {
    await survive([killPreferred, cutFromZooKeeper, killZooKeeper, killBoth]);
  });

  itNightly(
    'that are cut off with the latest blocks leave counting to the other one, exact on both',
    async () => {
      await survive([cutWithTheLatestBlocks]);
    },
  );

  itNightly('that are restarted one after the other leave every count exact, on both', async () => {
    await survive([restartOneByOne]);
  });

  itNightly('that are replaced, and joined by a third one, leave every count exact, on all', async () => {
    await survive([replaceTheOther], addReplica);
  });

  itNightly('count twice after a lost answer if the token is missing', async () => {
    const wire = await startTcpProxy(() => Number(new URL(preferred.address).port));
    try {
      const url = `http://127.0.0.1:${wire.port},${other.address}`;
      const scene = await open({
        env: { ...cluster.access },
        envOf: { worker: { CLICKHOUSE_URL: url } },
        preloadsOf: { worker: ['no-deduplication'] },
        mayDiffer: true,
      });
      await loseAnInsertAnswer(scene, wire);
      await scene.load.stop();

      expect((await scene.ledger.examine(scene.world)).doubled).to.be.greaterThan(0);
    } finally {
      await wire.close();
    }
  });

  /** Plays the faults in any order, and one at the end. The accounting agrees on each replica after each of them. */
  async function survive(faults: readonly ReplicaFault[], last?: ReplicaFault): Promise<void> {
    // While a replica lags, its tables hold different blocks, so the accounting really differs there.
    const scene = await open({ env: { ...cluster.access, ...ONE_PARTITION }, mayDiffer: true });
    await rounds(1, async () => {
      for (const fault of shuffled(faults, random)) await play(fault, scene);
    });
    if (last !== undefined) await play(last, scene);

    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
  }

  async function play(fault: ReplicaFault, scene: Scene): Promise<void> {
    const { load, world } = scene;
    await load.acknowledged(random.between(5, 20));
    await fault({ scene, cluster, preferred, other, random });
    await load.whilePaused(async () => {
      await world.drained(DRAINED_MS);
      await expectSameAccounting(cluster, world);
    });
  }
}
