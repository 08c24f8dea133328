import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, readRows, runStatement } from '#core/clickhouse';
import { setUpTables } from '#tooling/operations';
import { urlOf } from '../../../../tools/stack/index.ts';
import type { Random } from '../../builders/random.ts';
import type { OwnCluster, OwnReplica } from '../../stack/engines/own-cluster.ts';
import type { OwnEngine } from '../../stack/engines/own-engines.ts';
import { tablesOf } from '../../stack/engines/clickhouse/replica-accounting.ts';
import { eventually } from '../../eventually.ts';
import type { Scene } from '../scene.ts';

/** A scene on the two replicas of one shard. Workers prefer the first one. */
export type Stage = {
  readonly scene: Scene;
  readonly cluster: OwnCluster;
  readonly preferred: OwnReplica;
  readonly other: OwnReplica;
  readonly random: Random;
};

export type ReplicaFault = (stage: Stage) => Promise<void>;

/** An INSERT waits up to 30 s for a replica that does not answer, and a successor 20 s for one that lags. */
export const DRAINED_MS = 90_000;

/** The other replica counts on meanwhile, once it has everything that was stored. */
export async function killPreferred(stage: Stage): Promise<void> {
  await killDuring(stage, stage.preferred);
}

export async function killZooKeeper(stage: Stage): Promise<void> {
  await killDuring(stage, stage.cluster.zookeeper);
}

export async function killBoth(stage: Stage): Promise<void> {
  await killDuring(stage, stage.preferred, stage.other);
}

/** No one has the latest blocks while the preferred replica is unreachable. */
export async function killWhileTheOtherLags(stage: Stage): Promise<void> {
  const client = stage.cluster.connect(stage.other);
  await runStatement(client, 'system stop fetches');
  await stage.scene.load.acknowledged(20);
  await killPreferred(stage);
  await runStatement(client, 'system start fetches');
  await client.close();
}

async function killDuring({ scene, random }: Stage, ...engines: OwnEngine[]): Promise<void> {
  await sleep(random.between(0, 1200));
  for (const engine of engines) await engine.kill();
  await scene.load.acknowledged(20);
  for (const engine of engines) await engine.restart();
}

export async function cutFromZooKeeper(stage: Stage): Promise<void> {
  const { scene, preferred, random } = stage;
  await sleep(random.between(0, 1200));
  await preferred.wire.cut();
  await until(stage, preferred, IS_READ_ONLY);
  await scene.load.acknowledged(20);
  await preferred.wire.mend();
}

/** Only the cut replica has the latest blocks. The worker stores new ones on the other replica, without those. */
export async function cutWithTheLatestBlocks(stage: Stage): Promise<void> {
  const { scene, cluster, preferred, other } = stage;
  const sides = [preferred, other].map((replica) => ({
    replica,
    client: cluster.connect(replica, tablesOf(scene.world)),
  }));
  for (const { client } of sides) await runStatement(client, 'system stop fetches');
  const stored = await eventually(
    () => Promise.all(sides.map(async (side) => ({ ...side, blocks: await countBlocks(side.client) }))),
    ([one, two]) => one?.blocks !== two?.blocks,
  );
  const [spare, used] = stored.sort((one, two) => one.blocks - two.blocks);
  if (spare === undefined || used === undefined) throw new RangeError('a shard has two replicas here');
  await used.replica.wire.cut();
  await until(stage, spare.replica, IS_ALONE);
  for (const { client } of sides) await runStatement(client, 'system start fetches');
  await untilStoring(spare.client);
  await used.replica.wire.mend();
  for (const { client } of sides) await client.close();
}

/** Waits until these tables get more blocks. */
export async function untilStoring(client: ClickHouse, more = 1): Promise<void> {
  const before = await countBlocks(client);
  await eventually(
    () => countBlocks(client),
    (blocks) => blocks >= before + more,
    DRAINED_MS,
  );
}

async function countBlocks(client: ClickHouse): Promise<number> {
  const [row] = await readRows<{ blocks: string }>(client, 'select count() as blocks from blocks');
  return Number(row?.blocks ?? 0);
}

/** When it continues, its session with ZooKeeper is over, and the answer of an INSERT may be late. */
export async function freezeUntilTheSessionEnds(stage: Stage): Promise<void> {
  const { scene, preferred, other, random } = stage;
  await sleep(random.between(0, 1200));
  await preferred.freeze();
  await until(stage, other, IS_ALONE);
  await scene.load.acknowledged(20);
  preferred.thaw();
}

export async function restartOneByOne({ scene, cluster, random }: Stage): Promise<void> {
  for (const engine of shuffled<OwnEngine>([cluster.zookeeper, ...cluster.replicas], random)) {
    await engine.stop();
    await scene.load.acknowledged(random.between(5, 20));
    await engine.restart();
  }
}

/** As docs/operate/clickhouse-cluster.md says, for a replica that is lost for ever. */
export async function replaceTheOther(stage: Stage): Promise<void> {
  const { scene, cluster, preferred, other, random } = stage;
  await (random.next() < 0.5 ? other.kill() : other.stop());
  await other.dispose();
  await scene.load.acknowledged(20);
  await until(stage, preferred, IS_ALONE);
  const client = cluster.connect(preferred);
  await runStatement(client, `system drop replica '${other.name}'`);
  await client.close();
  await other.restart();
  await migrate(stage);
}

/** To the first shard. */
export async function addReplica(stage: Stage): Promise<void> {
  await stage.cluster.add();
  await migrate(stage);
}

function migrate({ scene: { world }, cluster }: Stage): Promise<void> {
  return setUpTables({ clickhouse: { ...world.config.clickhouse, url: urlOf(cluster.replicas) } }, world.log);
}

/** Each table notices by itself that the session with ZooKeeper is over. */
const IS_READ_ONLY = `
  select max(is_readonly) = 1 as holds
  from system.replicas
  where database = currentDatabase()`;
/** All tables of a replica share its session with ZooKeeper. So one is enough: the server asks ZooKeeper about each. */
const IS_ALONE = `
  select active_replicas = 1 as holds
  from system.replicas
  where database = currentDatabase()
    and table = 'blocks'`;

/** Waits until a condition holds, as one replica sees it. */
async function until({ scene, cluster }: Stage, replica: OwnReplica, condition: string): Promise<void> {
  const client = cluster.connect(replica, tablesOf(scene.world));
  await eventually(
    () => readRows<{ holds: number }>(client, condition),
    ([row]) => row?.holds === 1,
  );
  await client.close();
}

export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.between(0, left.length - 1), 1));
}
