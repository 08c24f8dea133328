import { openClickHouse, runStatement, shardsOf } from '#core/clickhouse';
import { createKafka, readTopics } from '#core/kafka';
import { SERVICE_CONNECT_TIMEOUT_MS, openPostgres } from '#base/postgres';
import {
  type Config,
  type EngineName,
  FlagmeterError,
  type Log,
  engineError,
  withDeadline,
} from '#base/runtime';

/** A frozen engine accepts connections but does not answer. */
const DEADLINE_MS = 10_000;

/**
 * Checks that the engines which a command needs are reachable and accept our login. Throws a FlagmeterError with one sentence
 * for each that is not.
 */
export async function reachEngines(
  config: Config,
  engines: readonly Exclude<EngineName, 'Redis'>[],
  log: Log,
): Promise<void> {
  const problems = await Promise.all(
    engines.map(async (engine) => {
      try {
        await withDeadline(
          reach[engine](config, log),
          DEADLINE_MS,
          `no answer, timeout after ${DEADLINE_MS} ms`,
        );
        return [];
      } catch (error) {
        return [engineError(engine, error).message];
      }
    }),
  );
  if (problems.flat().length > 0) throw new FlagmeterError('engine', problems.flat().join('\n'));
}

const reach = { Kafka: reachKafka, ClickHouse: reachClickHouse, Postgres: reachPostgres } as const;

async function reachKafka({ kafka }: Config, log: Log): Promise<void> {
  // Not logged, because the error explains the problem.
  const quiet = log.child({}, { level: 'silent' });
  await readTopics(createKafka({ access: kafka, clientId: 'flagmeter-reach', retries: 1, log: quiet }));
}

async function reachClickHouse({ clickhouse }: Config): Promise<void> {
  for (const shard of shardsOf(clickhouse)) {
    // Its own database may not exist yet.
    const server = openClickHouse({ ...shard, shard: undefined, database: 'default' });
    try {
      await runStatement(server, 'select 1 format Null');
    } finally {
      await server.close();
    }
  }
}

async function reachPostgres({ postgres }: Config, log: Log): Promise<void> {
  const db = openPostgres({
    ...postgres,
    maxConnections: 1,
    log,
    connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS,
  });
  try {
    await db.query('select 1');
  } finally {
    await db.end();
  }
}
