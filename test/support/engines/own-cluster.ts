import { rm } from 'node:fs/promises';
import { type ClickHouse, openClickHouse } from '#clickhouse';
import {
  type ClusterPlan,
  type Replica,
  planCluster,
  prepareCluster,
  startReplica,
  startZooKeeper,
} from '../../../infra/stack/index.ts';
import { untilEndOfFile } from '../processes/left-behind.ts';
import { type OwnEngine, own, ownDirectory } from './own-engines.ts';

export type OwnReplica = OwnEngine & { readonly name: string; readonly shard: string };

/** A ClickHouse cluster with its ZooKeeper that belongs to one test file, which may damage it. */
export type OwnCluster = {
  readonly zookeeper: OwnEngine;
  readonly replicas: readonly OwnReplica[];
  readonly plan: ClusterPlan;
  /** The settings of a world that uses the replicas. */
  readonly access: Readonly<Record<string, string>>;
  /** A client of one replica, as the user `owner`. The caller closes it. */
  connect(replica: OwnReplica, database?: string): ClickHouse;
  dispose(): Promise<void>;
};

const PASSWORD = 'of-one-test';

/** Starts two replicas of each shard. */
export async function ownCluster(shards: readonly string[] = ['a']): Promise<OwnCluster> {
  await prepareCluster(() => undefined);
  const plan = await planCluster(shards);
  const directory = await ownDirectory();
  const zookeeper = await own((at) => startZooKeeper({ directory: at, port: plan.zooKeeperPort }), directory);
  const replicas = await Promise.all(plan.replicas.map((replica) => ownReplica(replica, plan, directory)));
  return untilEndOfFile({
    zookeeper,
    replicas,
    plan,
    access: {
      CLICKHOUSE_URL: replicas.map(({ address }) => address).join(','),
      CLICKHOUSE_ENGINE_PREFIX: 'Replicated',
      CLICKHOUSE_USER: 'owner',
      CLICKHOUSE_PASSWORD: PASSWORD,
      CLICKHOUSE_READER_USER: 'flagmeter_reader',
      CLICKHOUSE_READER_PASSWORD: PASSWORD,
    },
    connect: ({ address }, database = 'default') =>
      openClickHouse({ url: address, username: 'owner', password: PASSWORD, database, tls: undefined }),
    async dispose() {
      for (const replica of replicas) await replica.dispose();
      await zookeeper.dispose();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

async function ownReplica(replica: Replica, plan: ClusterPlan, parent: string): Promise<OwnReplica> {
  const engine = await own(
    (directory) => startReplica(replica, { directory, plan, password: PASSWORD }),
    parent,
  );
  return { ...engine, name: replica.name, shard: replica.shard };
}
