import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type ClickHouse, readRows, runStatement } from '#clickhouse';
import { setUpTables } from '#setup';
import { type OwnCluster, type OwnReplica, ownCluster } from '../support/engines/own-cluster.ts';
import type { OwnEngine } from '../support/engines/own-engines.ts';
import { expectSameAccounting } from '../support/engines/replica-accounting.ts';
import { eventually } from '../support/eventually.ts';
import { loseAnInsertAnswer } from '../support/proxies/lost-answers.ts';
import { startTcpProxy } from '../support/proxies/tcp-proxy.ts';
import type { Scene } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';

/** An INSERT waits up to 30 s for a replica that does not answer, and a successor 20 s for one that lags. */
const DRAINED_MS = 90_000;

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
    await cluster.revive();
    await closeScenes();
  });
  after(() => cluster.dispose());

  it('that are killed, lag and lose ZooKeeper leave every count exact, on both', async () => {
    await survive([killPreferred, killZooKeeper, killWhileTheOtherLags]);
  });

  it('that are cut off, frozen or all away leave every count exact, on both', async () => {
    await survive([cutFromZooKeeper, freezeUntilTheSessionEnds, killAll]);
  });

  it('that are cut off with the latest blocks leave counting to the other one, exact on both', async () => {
    await survive([cutWithTheLatestBlocks]);
  });

  it('that are restarted one after the other leave every count exact, on both', async () => {
    await survive([restartOneByOne]);
  });

  it('that are replaced, and joined by a third one, leave every count exact, on all', async () => {
    await survive([replaceTheOther], addReplica);
  });

  it('count twice after a lost answer if the token is missing', async () => {
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

  type Fault = (scene: Scene) => Promise<void>;

  /** Plays the faults in any order, and one at the end. The accounting agrees on each replica after each of them. */
  async function survive(faults: readonly Fault[], last?: Fault): Promise<void> {
    // While a replica lags, its tables hold different blocks, so the accounting really differs there.
    const scene = await open({ env: { ...cluster.access }, mayDiffer: true });
    await rounds(1, async () => {
      for (const fault of shuffled(faults)) await play(fault, scene);
    });
    if (last !== undefined) await play(last, scene);

    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
  }

  async function play(fault: Fault, scene: Scene): Promise<void> {
    const { load, world } = scene;
    await load.acknowledged(random.between(5, 20));
    await fault(scene);
    await load.whilePaused(async () => {
      await world.drained(DRAINED_MS);
      await expectSameAccounting(cluster, world);
    });
  }

  /** The other replica counts on meanwhile, once it has everything that was stored. */
  async function killPreferred(scene: Scene): Promise<void> {
    await killDuring(scene, preferred);
  }

  async function killZooKeeper(scene: Scene): Promise<void> {
    await killDuring(scene, cluster.zookeeper);
  }

  async function killDuring(scene: Scene, ...engines: OwnEngine[]): Promise<void> {
    await sleep(random.between(0, 1200));
    for (const engine of engines) await engine.kill();
    await scene.load.acknowledged(20);
    for (const engine of engines) await engine.restart();
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

  async function killAll(scene: Scene): Promise<void> {
    await killDuring(scene, preferred, other);
  }

  async function cutFromZooKeeper(scene: Scene): Promise<void> {
    await sleep(random.between(0, 1200));
    await preferred.wire.cut();
    await untilReplicas(scene, preferred, 'max(is_readonly) = 1');
    await scene.load.acknowledged(20);
    await preferred.wire.mend();
  }

  /** Only the cut replica has the latest blocks. The worker stores new ones on the other replica, without those. */
  async function cutWithTheLatestBlocks(scene: Scene): Promise<void> {
    const sides = [preferred, other].map((replica) => ({
      replica,
      client: cluster.connect(replica, scene.world.config.clickhouse.database),
    }));
    for (const { client } of sides) await runStatement(client, 'system stop fetches');
    const stored = await eventually(
      () => Promise.all(sides.map(async (side) => ({ ...side, blocks: await countBlocks(side.client) }))),
      ([one, two]) => one?.blocks !== two?.blocks,
    );
    const [spare, used] = stored.sort((one, two) => one.blocks - two.blocks);
    if (spare === undefined || used === undefined) throw new RangeError('the cluster has too few replicas');
    await used.replica.wire.cut();
    await untilReplicas(scene, spare.replica, 'min(active_replicas) = 1');
    for (const { client } of sides) await runStatement(client, 'system start fetches');
    const before = await countBlocks(spare.client);
    await eventually(
      () => countBlocks(spare.client),
      (blocks) => blocks > before,
      DRAINED_MS,
    );
    await used.replica.wire.mend();
    for (const { client } of sides) await client.close();
  }

  async function countBlocks(client: ClickHouse): Promise<number> {
    const [row] = await readRows<{ blocks: string }>(client, 'select count() as blocks from blocks');
    return Number(row?.blocks ?? 0);
  }

  /** When it continues, its session with ZooKeeper is over, and the answer of an INSERT may be late. */
  async function freezeUntilTheSessionEnds(scene: Scene): Promise<void> {
    await sleep(random.between(0, 1200));
    await preferred.freeze();
    await untilReplicas(scene, other, 'min(active_replicas) = 1');
    await scene.load.acknowledged(20);
    preferred.thaw();
  }

  async function restartOneByOne(scene: Scene): Promise<void> {
    for (const engine of shuffled<OwnEngine>([cluster.zookeeper, preferred, other])) {
      await engine.stop();
      await scene.load.acknowledged(random.between(5, 20));
      await engine.restart();
    }
  }

  /** As docs/operations.md says, for a replica that is lost for ever. */
  async function replaceTheOther(scene: Scene): Promise<void> {
    await (random.next() < 0.5 ? other.kill() : other.stop());
    await other.dispose();
    await scene.load.acknowledged(20);
    await untilReplicas(scene, preferred, 'max(active_replicas) = 1');
    const client = cluster.connect(preferred);
    await runStatement(client, `system drop replica '${other.name}'`);
    await client.close();
    await other.restart();
    await migrate(scene);
  }

  async function addReplica(scene: Scene): Promise<void> {
    await cluster.add();
    await migrate(scene);
  }

  function migrate({ world }: Scene): Promise<void> {
    const url = cluster.replicas.map(({ address }) => address).join(',');
    return setUpTables({ clickhouse: { ...world.config.clickhouse, url } }, world.log);
  }

  /** Waits until a condition holds for the tables, as one replica sees them. */
  async function untilReplicas({ world }: Scene, replica: OwnReplica, condition: string): Promise<void> {
    const client = cluster.connect(replica, world.config.clickhouse.database);
    await eventually(
      () =>
        readRows<{ holds: number }>(
          client,
          `select ${condition} as holds from system.replicas where database = currentDatabase()`,
        ),
      ([row]) => row?.holds === 1,
    );
    await client.close();
  }

  function shuffled<T>(items: readonly T[]): T[] {
    const left = [...items];
    return items.flatMap(() => left.splice(random.between(0, left.length - 1), 1));
  }
});
