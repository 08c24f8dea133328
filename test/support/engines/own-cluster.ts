import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type ClickHouse, openClickHouse } from '#clickhouse';
import {
  type ClusterPlan,
  type ClusterSize,
  type Replica,
  freePort,
  planCluster,
  prepareCluster,
  startReplica,
  startZooKeeper,
  urlOf,
} from '../../../tools/stack/index.ts';
import { untilEndOfFile } from '../processes/left-behind.ts';
import { type TcpProxy, startTcpProxy } from '../proxies/tcp-proxy.ts';
import { type OwnEngine, own, ownDirectory } from './own-engines.ts';

export type OwnReplica = OwnEngine & {
  readonly name: string;
  readonly shard: string;
  /** Its connections to ZooKeeper. */
  readonly wire: TcpProxy;
};

/** A ClickHouse cluster with its ZooKeeper that belongs to one test file, which may damage it. */
export type OwnCluster = {
  readonly zookeeper: OwnEngine;
  readonly replicas: readonly OwnReplica[];
  readonly plan: ClusterPlan;
  /** The settings of a world that uses the replicas. */
  readonly access: Readonly<Record<string, string>>;
  /** Starts a further, empty replica of the first shard. `access` does not name it. */
  add(): Promise<OwnReplica>;
  /** Mends every connection to ZooKeeper, and revives every engine. */
  revive(): Promise<void>;
  /** A client of one replica, as the user `owner`. The caller closes it. */
  connect(replica: OwnReplica, database?: string): ClickHouse;
  dispose(): Promise<void>;
};

const PASSWORD = 'of-one-test';
const TWO_REPLICAS: ClusterSize = { shards: ['a'], replicas: 2 };

/** Starts the servers of one or several shards. */
export async function ownCluster(size: ClusterSize = TWO_REPLICAS): Promise<OwnCluster> {
  await prepareCluster(() => undefined);
  const plan = await planCluster(size);
  const directory = await ownDirectory();
  const zookeeper = await own((at) => startZooKeeper({ directory: at, port: plan.zooKeeperPort }), directory);
  const start = (replica: Replica) => ownReplica(replica, plan, directory);
  const replicas = await Promise.all(plan.replicas.map(start));
  return untilEndOfFile({
    zookeeper,
    replicas,
    plan,
    access: {
      CLICKHOUSE_URL: urlOf(replicas),
      CLICKHOUSE_ENGINE_PREFIX: 'Replicated',
      ...(size.shards.length === 1 ? {} : { CLICKHOUSE_CLUSTER: 'flagmeter' }),
      CLICKHOUSE_USER: 'owner',
      CLICKHOUSE_PASSWORD: PASSWORD,
      CLICKHOUSE_READER_USER: 'flagmeter_reader',
      CLICKHOUSE_READER_PASSWORD: PASSWORD,
    },
    async add() {
      const [shard = ''] = size.shards;
      const name = `${shard}${replicas.length + 1}`;
      const ports = { httpPort: await freePort(), tcpPort: await freePort() };
      const added = await start({ name, shard, ...ports });
      replicas.push(added);
      return added;
    },
    async revive() {
      for (const { wire } of replicas) await wire.mend();
      for (const engine of [zookeeper, ...replicas]) await engine.revive();
    },
    connect: ({ address }, database = 'default') =>
      openClickHouse({ url: address, username: 'owner', password: PASSWORD, database, tls: undefined }),
    async dispose() {
      for (const { wire, ...replica } of replicas) {
        await replica.dispose();
        await wire.close();
      }
      await zookeeper.dispose();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

/** Each replica has its own directory, so that a test can replace one by an empty one. */
async function ownReplica(replica: Replica, plan: ClusterPlan, parent: string): Promise<OwnReplica> {
  const { name, shard } = replica;
  const wire = await startTcpProxy(() => plan.zooKeeperPort);
  const wired = { ...plan, zooKeeperPort: wire.port };
  const engine = await own(
    (directory) => startReplica(replica, { directory, plan: wired, password: PASSWORD }),
    path.join(parent, name),
  );
  return { ...engine, name, shard, wire };
}
