import { rm } from 'node:fs/promises';
import path from 'node:path';
import { type ClickHouse, openClickHouse } from '#core/clickhouse';
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
} from '../../../../tools/stack/index.ts';
import { untilEndOfFile } from '../../left-behind.ts';
import { type TcpProxy, startTcpProxy } from '../proxies/tcp-proxy.ts';
import { type OwnEngine, own, ownDirectory } from './own-engines.ts';

export type OwnReplica = OwnEngine & {
  readonly name: string;
  readonly shard: string;
  /** Its connections to ZooKeeper. */
  readonly wire: TcpProxy;
};

/** ClickHouse servers that belong to one test file, which may damage them. */
export type OwnServers = {
  readonly replicas: readonly OwnReplica[];
  /** The settings of a world that uses the servers. */
  readonly access: Readonly<Record<string, string>>;
  /** Mends every connection to ZooKeeper, and revives every engine. */
  revive(): Promise<void>;
  /** A client of one replica, as the user `owner`. The caller closes it. */
  connect(replica: OwnReplica, database?: string): ClickHouse;
  dispose(): Promise<void>;
};

/** Servers with replicated tables, and their ZooKeeper. */
export type OwnCluster = OwnServers & {
  readonly zookeeper: OwnEngine;
  /** Starts a further, empty replica of the first shard. `access` does not name it. */
  add(): Promise<OwnReplica>;
};

const PASSWORD = 'of-one-test';
const TWO_REPLICAS: ClusterSize = { shards: ['a'], replicas: 2 };

/** Starts ZooKeeper, and the servers of one or several shards. */
export async function ownCluster(size: ClusterSize = TWO_REPLICAS): Promise<OwnCluster> {
  const directory = await ownDirectory();
  await prepareCluster(() => undefined);
  const plan = await planCluster(size);
  const zookeeper = await own((at) => startZooKeeper({ directory: at, port: plan.zooKeeperPort }), directory);
  const replicas = await startReplicas(plan, directory);
  const servers = serversOf({ replicas, zookeeper, directory });
  return untilEndOfFile({
    ...servers,
    zookeeper,
    access: { ...servers.access, CLICKHOUSE_ENGINE_PREFIX: 'Replicated' },
    async add() {
      const [shard = ''] = size.shards;
      const name = `${shard}${replicas.length + 1}`;
      const ports = { httpPort: await freePort(), tcpPort: await freePort() };
      const added = await ownReplica({ name, shard, ...ports }, plan, directory);
      replicas.push(added);
      return added;
    },
  });
}

/** Starts two shards of one server each, whose tables are not replicated. So they need no ZooKeeper. */
export async function ownShards(): Promise<OwnServers> {
  const directory = await ownDirectory();
  const replicas = await startReplicas(await planCluster({ shards: ['a', 'b'], replicas: 1 }), directory);
  return untilEndOfFile(serversOf({ replicas, directory }));
}

function startReplicas(plan: ClusterPlan, directory: string): Promise<OwnReplica[]> {
  return Promise.all(plan.replicas.map((replica) => ownReplica(replica, plan, directory)));
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

type Started = {
  /** May grow. */
  readonly replicas: readonly OwnReplica[];
  readonly zookeeper?: OwnEngine;
  readonly directory: string;
};

function serversOf({ replicas, zookeeper, directory }: Started): OwnServers {
  const url = urlOf(replicas);
  return {
    replicas,
    access: {
      CLICKHOUSE_URL: url,
      ...(url.includes(';') ? { CLICKHOUSE_CLUSTER: 'flagmeter' } : {}),
      CLICKHOUSE_USER: 'owner',
      CLICKHOUSE_PASSWORD: PASSWORD,
      CLICKHOUSE_READER_USER: 'flagmeter_reader',
      CLICKHOUSE_READER_PASSWORD: PASSWORD,
    },
    async revive() {
      for (const { wire } of replicas) await wire.mend();
      await zookeeper?.revive();
      for (const replica of replicas) await replica.revive();
    },
    connect: ({ address }, database = 'default') =>
      openClickHouse({ url: address, username: 'owner', password: PASSWORD, database, tls: undefined }),
    async dispose() {
      for (const { wire, ...replica } of replicas) {
        await replica.dispose();
        await wire.close();
      }
      await zookeeper?.dispose();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
