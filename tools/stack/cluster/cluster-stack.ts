import { rm } from 'node:fs/promises';
import { startKafkaCluster } from '../engines/kafka-cluster.ts';
import { startRedis } from '../engines/redis.ts';
import {
  type Report,
  StackError,
  cleanStack,
  filesOfStack,
  freePort,
  prepareEngines,
  readPasswords,
  startPostgres,
  untilSignal,
  writeVariables,
} from '#tooling/stack';
import { planCluster } from './plan.ts';
import { prepareCluster } from './prepare-cluster.ts';
import { urlOf } from './replica-config.ts';
import { canRunReplicas, startReplica } from './replica.ts';
import { startZooKeeper } from './zookeeper.ts';

type ClusterStackOptions = { readonly directory: string; readonly report?: Report };

type Stoppable = { stop(): Promise<void> };

/**
 * Runs three Kafka brokers, ZooKeeper, two shards of two ClickHouse replicas, Postgres and Redis in this process until
 * SIGTERM or SIGINT. For tests only: it starts with empty engines, does not restart any, and deletes their data at the end.
 */
export async function runClusterStack({
  directory,
  report = console.log,
}: ClusterStackOptions): Promise<void> {
  if (!canRunReplicas())
    throw new StackError('not-installed', 'the ClickHouse replicas of this stack run only on Linux with x64');
  const signalled = untilSignal();
  await prepareEngines(report);
  await prepareCluster(report);
  await cleanStack(directory);
  const started: Stoppable[] = [];
  const { environment } = filesOfStack(directory);
  try {
    const variables = await startEngines(directory, (engine) => started.push(engine));
    await writeVariables(environment, variables);
    report(`the cluster is up until Ctrl-C; in another shell: source ${environment}`);
    await signalled;
    report('stopping');
  } finally {
    await rm(environment, { force: true });
    await Promise.all(started.map((engine) => engine.stop()));
    await cleanStack(directory);
  }
}

/** Starts the engines and returns the variables of programs that use them. Passes on each engine once it runs. */
async function startEngines(
  directory: string,
  add: (engine: Stoppable) => void,
): Promise<Record<string, string>> {
  const passwords = await readPasswords(filesOfStack(directory).passwords);
  const plan = await planCluster({ shards: ['a', 'b'], replicas: 2 });
  const started = async <T extends Stoppable>(starting: Promise<T>): Promise<T> => {
    const engine = await starting;
    add(engine);
    return engine;
  };
  await started(startZooKeeper({ directory, port: plan.zooKeeperPort }));
  const options = { directory, plan, password: passwords.clickhouse };
  const replicas: { shard: string; address: string }[] = [];
  for (const replica of plan.replicas) {
    const { address } = await started(startReplica(replica, options));
    replicas.push({ shard: replica.shard, address });
  }
  const ports = [await freePort(), await freePort(), await freePort()];
  const kafka = await started(startKafkaCluster({ directory, ports }));
  const postgres = await started(startPostgres({ directory, port: await freePort(), passwords }));
  const redis = await started(startRedis({ directory, port: await freePort() }));
  return {
    KAFKA_BROKERS: kafka.address,
    KAFKA_REPLICATION_FACTOR: '3',
    KAFKA_MIN_INSYNC_REPLICAS: '2',
    CLICKHOUSE_URL: urlOf(replicas),
    CLICKHOUSE_CLUSTER: 'flagmeter',
    CLICKHOUSE_ENGINE_PREFIX: 'Replicated',
    CLICKHOUSE_USER: 'owner',
    CLICKHOUSE_PASSWORD: passwords.clickhouse,
    CLICKHOUSE_READER_USER: 'flagmeter_reader',
    CLICKHOUSE_READER_PASSWORD: passwords.clickhouse,
    DATABASE_URL: postgres.address,
    REDIS_URL: redis.address,
  };
}
