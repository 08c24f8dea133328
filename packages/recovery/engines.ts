import { type ClickHouse, caughtUp, openClickHouse, replicasOf, shardsOf } from '#clickhouse';
import { type Kafka, createKafka } from '#kafka';
import { type OperatorLock, type Postgres, openPostgres, withOperatorLock } from '#postgres';
import { type Config, FlagmeterError, type Log } from '#runtime';

/** Connections to the engines for an operator's command. */
export type Engines = {
  readonly config: Config;
  readonly log: Log;
  readonly kafka: Kafka;
  readonly clickhouse: ClickHouse;
  readonly db: Postgres;
};

/** A statement of an operator may read the rows of a month. */
const CLICKHOUSE_TIMEOUT_MS = 15 * 60_000;

/** Opens the engines, runs `work` and closes them. Throws `shards` if ClickHouse has several shards. */
export async function withEngines<T>(
  config: Config,
  log: Log,
  work: (engines: Engines) => Promise<T>,
): Promise<T> {
  failIfSharded(config);
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-operator', retries: 5, log });
  // All statements of a command run on one replica, because a scratch database exists only there.
  const [replica = config.clickhouse] = replicasOf(config.clickhouse);
  const clickhouse = openClickHouse({ ...replica, timeoutMs: CLICKHOUSE_TIMEOUT_MS });
  const db = openPostgres({ ...config.postgres, log });
  try {
    await caughtUp(clickhouse, ['blocks', 'topic_epochs']);
    return await work({ config: { ...config, clickhouse: replica }, log, kafka, clickhouse, db });
  } finally {
    await clickhouse.close();
    await db.end();
  }
}

/** A repair reads the log of all partitions, and would compare it with the blocks of one shard. */
function failIfSharded({ clickhouse }: Config): void {
  const shards = shardsOf(clickhouse).length;
  if (shards === 1) return;
  throw new FlagmeterError(
    'shards',
    `nothing was changed: this command works with one shard of ClickHouse only, and CLICKHOUSE_URL names ${shards}`,
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
