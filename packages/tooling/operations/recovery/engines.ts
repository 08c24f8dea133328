import {
  type ClickHouse,
  type Shards,
  caughtUp,
  firstReplicasOf,
  openClickHouse,
  openShards,
  shardsOf,
} from '#core/clickhouse';
import { type Kafka, createKafka } from '#core/kafka';
import { type OperatorLock, type Postgres, openPostgres, withOperatorLock } from '#base/postgres';
import { type Config, FlagmeterError, type Log } from '#base/runtime';

/** Connections to the engines for an operator's command. */
export type Engines = {
  /** Its ClickHouse is one replica of each shard, because a scratch database exists only there. */
  readonly config: Config;
  readonly log: Log;
  readonly kafka: Kafka;
  readonly shards: Shards;
  /** Reads all shards. */
  readonly clickhouse: ClickHouse;
  readonly db: Postgres;
};

/** A statement of an operator may read the rows of a month. */
const CLICKHOUSE_TIMEOUT_MS = 15 * 60_000;

/** Opens the engines, runs `work` and closes them. */
export async function withEngines<T>(
  config: Config,
  log: Log,
  work: (engines: Engines) => Promise<T>,
): Promise<T> {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-operator', retries: 5, log });
  const replicas = firstReplicasOf(config.clickhouse);
  const shards = openShards({ ...replicas, timeoutMs: CLICKHOUSE_TIMEOUT_MS });
  const clickhouse = openClickHouse({ ...replicas, timeoutMs: CLICKHOUSE_TIMEOUT_MS });
  const db = openPostgres({ ...config.postgres, log });
  try {
    for (const shard of shards.all) await caughtUp(shard, ['blocks', 'topic_epochs']);
    return await work({ config: { ...config, clickhouse: replicas }, log, kafka, shards, clickhouse, db });
  } finally {
    await Promise.all([shards.close(), clickhouse.close()]);
    await db.end();
  }
}

/** Throws `cluster` if migrations use ON CLUSTER: the statements of a repair reach one server of a shard only. */
export function failIfOnCluster({ clickhouse }: Config): void {
  if (shardsOf(clickhouse).every(({ cluster }) => cluster === '')) return;
  throw new FlagmeterError(
    'cluster',
    'nothing was changed: this command does not support CLICKHOUSE_CLUSTER with one shard',
  );
}

/** As `withEngines`, under a lock that excludes other repairs. */
export function withLockedEngines<T>(
  config: Config,
  log: Log,
  work: (engines: Engines, lock: OperatorLock) => Promise<T>,
): Promise<T> {
  return withOperatorLock(config.postgres, (lock) =>
    withEngines(config, log, (engines) => work(engines, lock)),
  );
}
