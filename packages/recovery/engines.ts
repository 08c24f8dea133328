import { type ClickHouse, openClickHouse } from '#clickhouse';
import { type Kafka, createKafka } from '#kafka';
import { type OperatorLock, type Postgres, openPostgres, withOperatorLock } from '#postgres';
import type { Config, Log } from '#runtime';

/** The engines as an operator's command uses them. */
export type Engines = {
  readonly config: Config;
  readonly log: Log;
  readonly kafka: Kafka;
  readonly clickhouse: ClickHouse;
  readonly db: Postgres;
};

/** A statement of an operator may go over a month of rows. */
const CLICKHOUSE_TIMEOUT_MS = 15 * 60_000;

/** Runs `work` with engines that are closed afterwards. */
export async function withEngines<T>(
  config: Config,
  log: Log,
  work: (engines: Engines) => Promise<T>,
): Promise<T> {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-operator', retries: 5, log });
  const clickhouse = openClickHouse({ ...config.clickhouse, timeoutMs: CLICKHOUSE_TIMEOUT_MS });
  const db = openPostgres({ ...config.postgres, log });
  try {
    return await work({ config, log, kafka, clickhouse, db });
  } finally {
    await clickhouse.close();
    await db.end();
  }
}

/** The same, while no other operator mends anything. */
export function withLockedEngines<T>(
  config: Config,
  log: Log,
  work: (engines: Engines, lock: OperatorLock) => Promise<T>,
): Promise<T> {
  return withOperatorLock(config.postgres, (lock) =>
    withEngines(config, log, (engines) => work(engines, lock)),
  );
}
