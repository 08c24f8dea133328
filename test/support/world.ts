import { randomBytes } from 'node:crypto';
import { type Accounting, findDifferences, readShardedAccounting, sumTallies } from '#core/accounting';
import { type ClickHouse, type Shards, openClickHouse, openShards, readRows } from '#core/clickhouse';
import { type Watermarks, createKafka, errorCodeOf, readWatermarks } from '#core/kafka';
import { setUp } from '#tooling/operations';
import { type Postgres, openPostgres } from '#base/postgres';
import {
  type Config,
  type Log,
  type PostgresAccess,
  type Service,
  createLog,
  readConfig,
} from '#base/runtime';
import { leaveEmptied, setUpCopy, takeEmptied } from './stack/engines/clickhouse/emptied-databases.ts';
import { forgetTopics } from './stack/engines/kafka/forget-topics.ts';
import { stackEnv } from './stack/engines/stack-addresses.ts';
import {
  PATIENCE_MS,
  addressOf,
  copyDatabase,
  createDatabase,
  dropClickHouse,
  dropDatabase,
} from './stack/engines/world-databases.ts';
import { eventually } from './eventually.ts';
import { noteDatabase } from './noted-databases.ts';
import { untilEndOfFile } from './left-behind.ts';
import { shared } from './shared-world.ts';
import { type Processes, createProcesses } from './stack/processes-of-world.ts';

/** A separate flagmeter on the shared engines, with its own topics, groups and databases. */
export type World = {
  readonly env: Record<string, string>;
  readonly config: Config;
  /** Reads all shards. */
  readonly clickhouse: ClickHouse;
  readonly shards: Shards;
  readonly db: Postgres;
  readonly log: Log;
  /** Runs a service in this process; `dispose` stops it at the latest. */
  run(start: (config: Config, log: Log) => Promise<Service>): Promise<Service>;
  /** Starts a service in a separate process, ready or not; `dispose` kills it at the latest. */
  launch: Processes['launch'];
  /** Launches a service and waits until it is ready. */
  fork: World['launch'];
  /** Rows of a ClickHouse query in the world's database. */
  query<Row = Record<string, unknown>>(sql: string, params?: Record<string, unknown>): Promise<Row[]>;
  /** The accounting at this moment. */
  accounting(): Promise<Accounting>;
  /**
   * Waits until every message of the counts topic is in a block. Returns the accounting, whether it agrees or not.
   */
  drained(timeoutMs?: number): Promise<Accounting>;
  /** Waits until every message of the counts topic is in a block. Returns the accounting, which must agree. */
  settled(timeoutMs?: number): Promise<Accounting & { total: ReturnType<typeof sumTallies> }>;
  dispose(): Promise<void>;
};

export const ADMIN_TOKEN = '*:*.test-admin-secret-0123456789abcdef';
export const CLIENT_TOKEN = '*:production.test-client-secret-0123456789abcdef';
export const OTHER_CLIENT_TOKEN = '*:development.test-client-secret-0123456789abcdef';
export const FRONTEND_TOKEN = '*:production.test-frontend-secret-0123456789abcdef';

/** Creates tables, views, topics and the initial tokens. */
export type Prepare = (config: Config, log: Log, env: Readonly<Record<string, string>>) => Promise<void>;

export type Preparation = {
  /** By default what `flagmeter migrate` does, or the rest of it after `copyDatabase`. */
  readonly prepare?: Prepare;
  /** Creates the Postgres database: by default a copy, if the stack has it. */
  readonly createPostgres?: typeof copyDatabase;
};

/** Creates databases and topics. `overrides` are environment variables. */
export async function createWorld(
  overrides: Record<string, string> = {},
  {
    createPostgres = overrides['DATABASE_URL'] === undefined ? copyDatabase : createDatabase,
    prepare = createPostgres === copyDatabase ? setUpCopy : setUp,
  }: Preparation = {},
): Promise<World> {
  const id = `test_${randomBytes(5).toString('hex')}`;
  const isUsual = prepare === setUpCopy && overrides['CLICKHOUSE_URL'] === undefined;
  const database = (isUsual ? takeEmptied() : undefined) ?? id;
  noteDatabase(database);
  const stack = { ...stackEnv(), ...overrides };
  const server = readConfig(stack).postgres;
  const env: Record<string, string> = {
    ...stack,
    DATABASE_URL: addressOf(stack.DATABASE_URL, id),
    CLICKHOUSE_DATABASE: database,
    KAFKA_TOPIC_PREFIX: id,
    // The fewest that have an order of their own each. Every further one costs a take-over and its own blocks.
    KAFKA_COUNTS_PARTITIONS: '2',
    PORT: '0',
    LOG_LEVEL: 'info',
    INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
    INIT_CLIENT_API_TOKENS: `${CLIENT_TOKEN},${OTHER_CLIENT_TOKEN}`,
    INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
    ...overrides,
  };
  const config = readConfig(env);
  const log = createLog('test', 'fatal');
  await createPostgres(server, id, config);
  await prepare(config, log, env);
  return untilEndOfFile(openWorld({ id, env, config, log, server, isUsual }));
}

export const sharedWorld = shared(createWorld);

type Parts = {
  readonly id: string;
  readonly env: Record<string, string>;
  readonly config: Config;
  readonly log: Log;
  /** The address at which the world's database was created. */
  readonly server: PostgresAccess;
  /** Whether another world may have its ClickHouse database. */
  readonly isUsual: boolean;
};

function openWorld({ id, env, config, log, server, isUsual }: Parts): World {
  const patient = { ...config.clickhouse, timeoutMs: PATIENCE_MS };
  const clickhouse = openClickHouse(patient);
  const shards = openShards(patient);
  const db = openPostgres({ ...config.postgres, log });
  const services: Service[] = [];
  const processes = createProcesses(env);
  const kafka = createKafka({ access: config.kafka, clientId: id, retries: 5, log });
  const { counts } = config.kafka.topics;
  // A broker that has just started reports wrong leaders, or no topics yet, and kafkajs does not ask again.
  const readEnds = async (): Promise<ReadonlyMap<number, Watermarks>> => {
    const ends = await eventually(
      () => readWatermarks(kafka, counts).catch(ignoreNewLeader),
      (found) => found !== undefined,
    );
    return ends ?? new Map<number, Watermarks>();
  };
  const accounting = async (): Promise<Accounting> => {
    const [stored, watermarks] = await Promise.all([readShardedAccounting(shards.all, counts), readEnds()]);
    const partitions = stored.partitions.map((item) => ({
      ...item,
      inFlight: (watermarks.get(item.partition)?.high ?? 0n) - item.to,
    }));
    return { ...stored, partitions };
  };
  const readStoredEnds = async (): Promise<ReadonlyMap<number, bigint>> => {
    const rows = await readRows<{ partition: number; to: string }>(
      clickhouse,
      `select partition, max(to_offset) as to
       from blocks
       where topic = {counts:String}
         and epoch = (select max(epoch) from topic_epochs where topic = {counts:String})
       group by partition`,
      { counts },
    );
    return new Map(rows.map(({ partition, to }) => [partition, BigInt(to)]));
  };
  const drained: World['drained'] = async (timeoutMs = PATIENCE_MS) => {
    const isStored = (stored: ReadonlyMap<number, bigint>): boolean =>
      [...ends].every(([partition, { low, high }]) => (stored.get(partition) ?? low) >= high);
    // The accounting needs five more queries, so it is read only at the end. So is the log, which may have grown.
    let ends = await readEnds();
    await eventually(
      async () => {
        const stored = await readStoredEnds();
        if (isStored(stored)) ends = await readEnds();
        return { stored, ends };
      },
      ({ stored }) => isStored(stored),
      timeoutMs,
    );
    return accounting();
  };
  return {
    env,
    config,
    clickhouse,
    shards,
    db,
    log,
    async run(start) {
      const service = await start(config, log);
      services.push(service);
      await untilReady(service.url);
      return service;
    },
    launch: (...given) => processes.launch(...given),
    async fork(service, extra, preloads) {
      const forked = await processes.launch(service, extra, preloads);
      await untilReady(forked.url);
      return forked;
    },
    query: (sql, params = {}) => readRows(clickhouse, sql, params),
    accounting,
    drained,
    async settled(timeoutMs) {
      const seen = await drained(timeoutMs);
      const agrees = (now: Accounting): boolean => findDifferences(now).length === 0;
      // The views of one INSERT become visible one after the other.
      const agreed = agrees(seen) ? seen : await eventually(accounting, agrees);
      return { ...agreed, total: sumTallies(seen.partitions) };
    },
    async dispose() {
      // Runs each step, even if earlier ones failed.
      const ended = [
        ...(await Promise.allSettled(services.map((service) => service.stop()))),
        ...(await Promise.allSettled([processes.end()])),
        ...(await Promise.allSettled([db.end()])),
        ...(await Promise.allSettled([
          isUsual && !(await processes.mayStillInsert())
            ? leaveEmptied(config, id)
            : dropClickHouse(config, id),
          dropDatabase(server, id),
          ...(env['KAFKA_TOPIC_PREFIX'] === id ? [forgetTopics(config.kafka, id)] : []),
        ])),
        ...(await Promise.allSettled([clickhouse.close(), shards.close()])),
      ];
      for (const end of ended) if (end.status === 'rejected') throw end.reason;
    },
  };
}

/** Nor does it ask again if a busy broker does not answer in three seconds. */
function ignoreNewLeader(error: unknown): undefined {
  if (error instanceof Error && error.name === 'KafkaJSRequestTimeoutError') return;
  const code = errorCodeOf(error);
  if (code !== 'NOT_LEADER_FOR_PARTITION' && code !== 'UNKNOWN_TOPIC_OR_PARTITION') throw error;
}

/** A service listens before it has reached its engines. */
export async function untilReady(url: string): Promise<void> {
  await eventually(
    async () => (await fetch(`${url}/ready`)).text(),
    (body) => body.includes('GOOD'),
  );
}
