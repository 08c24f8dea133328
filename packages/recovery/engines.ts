import { type ClickHouse, caughtUp, openClickHouse, replicasOf } from '#clickhouse';
import { type Kafka, createKafka } from '#kafka';
import { type OperatorLock, type Postgres, openPostgres, withOperatorLock } from '#postgres';
import type { Config, Log } from '#runtime';

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

/** Opens the engines, runs `work` and closes them. */
export async function withEngines<T>(
  config: Config,
  log: Log,
  work: (engines: Engines) => Promise<T>,
): Promise<T> {
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
