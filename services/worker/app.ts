import {
  COPIED_TABLES,
  type CopiedTable,
  type Fleet,
  copyTable,
  pruneApplications,
  prunePastConfigurations,
  readFleet,
  rollUpRelays,
  registerFeatures,
  syncLastSeen,
} from '#fleet/catalogue';
import {
  type ClickHouse,
  type Shards,
  createBlocks,
  openClickHouse,
  openShards,
  readCurrentEpoch,
  runStatement,
  shardOf,
} from '#core/clickhouse';
import { serve } from '#base/http';
import { type BatchConsumer, createKafka, createMessageProducer, runConsumers } from '#core/kafka';
import { type Postgres, SERVICE_CONNECT_TIMEOUT_MS, openPostgres } from '#base/postgres';
import {
  type Config,
  type Fail,
  FlagmeterError,
  type Job,
  type Log,
  type Service,
  Troubles,
  createRegistry,
  openTracing,
  startJob,
  untilReached,
} from '#base/runtime';
import { consumeApplications } from './applications.ts';
import { type ShardOfPartition, consumeCounts } from './counts/counts.ts';
import { createDeadLetters } from './dead-letter-topic.ts';
import { createWorkerMetrics } from './metrics.ts';
import { createFleetMetrics } from './fleet-metrics.ts';
import { type KeepOptions, keepRelayReports } from './relay-reports.ts';
import { createShardGate } from './shard-gate.ts';

/** Analysts see a change of the catalogue after this time at the latest. */
const SYNC_PAUSE_MS = 30_000;

/** Lists of features show a new evaluation after this time at the latest. */
const LAST_SEEN_PAUSE_MS = 60_000;

/** The day of a relay shows a report after this time at the latest. */
const ROLL_UP_PAUSE_MS = 60_000;

const PRUNE_PAUSE_MS = 3_600_000;

/** A transaction may become visible after many later ones. Until then its rows may be missing in the copy. */
const WHOLE_SYNC_PAUSE_MS = 3_600_000;

/**
 * The worker stores counts in ClickHouse, applications in Postgres and reports of relays in both, with one consumer group for each.
 * It listens at once and connects to its engines in the background, so that it can start before them.
 */
export async function startWorker(config: Config, log: Log, fail: Fail): Promise<Service> {
  const registry = createRegistry();
  const metrics = createWorkerMetrics(registry);
  const connection = { access: config.kafka, clientId: 'flagmeter-worker', log };
  const kafka = createKafka({ ...connection, retries: 5 });
  const producer = createMessageProducer(createKafka({ ...connection, retries: 0 }));
  const shards = openShards(config.clickhouse);
  // Reads all shards.
  const clickhouse = openClickHouse(config.clickhouse);
  const db = openPostgres({ ...config.postgres, log, connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS });
  const { topics, groupPrefix } = config.kafka;
  const deadLetters = createDeadLetters({ producer, deadLetterTopic: topics.deadLetters, log });
  const ordered = shardsOfPartitions(shards);
  const tracing = await openTracing(config.tracing, 'worker', log);
  const stopping = new AbortController();
  const { signal } = stopping;
  const troubles = new Troubles();
  const shared = { kafka, db, deadLetters, metrics, log, signal, troubles, onCrash: fail };
  const startCounts = async (): Promise<BatchConsumer | undefined> => {
    const readEpoch = (): Promise<number> => readCurrentEpoch(shards, topics.counts);
    const isFinal = (error: unknown): boolean => error instanceof FlagmeterError;
    const epoch = await untilReached(readEpoch, { engine: 'ClickHouse', log, signal, troubles, isFinal });
    return epoch === undefined
      ? undefined
      : consumeCounts({
          ...shared,
          groupId: `${groupPrefix}-counts`,
          topic: topics.counts,
          epoch,
          shardOf: (partition) => ordered[shardOf(partition, ordered.length)] as ShardOfPartition, // an index
          tracing,
          duplicateWindowMs: config.worker.duplicateWindowMs,
          maxDeadLetters: config.worker.maxDeadLetters,
        });
  };
  const startApplications = (): Promise<BatchConsumer> =>
    consumeApplications({ ...shared, groupId: `${groupPrefix}-applications`, topic: topics.applications });
  const consumers = runConsumers([startCounts, startApplications], fail);
  const keepingReports = keepReports(config, { ...shared, clickhouse: shardOfReports(shards) });
  const jobs = startJobs({ db, shards, clickhouse, log, recordFleet: createFleetMetrics(registry) });
  return serve({
    config,
    log,
    registry,
    routers: [],
    readiness: () =>
      consumers.areJoined() ? undefined : troubles.after('The consumers have not joined their groups yet.'),
    async finish() {
      stopping.abort();
      await Promise.all([consumers.stop(), keepingReports, ...jobs.map((job) => job.stop())]);
      await producer.disconnect();
      await Promise.all([shards.close(), clickhouse.close()]);
      await db.end();
      await tracing?.stop();
    },
  });
}

/** What the worker needs of each shard to store blocks. */
function shardsOfPartitions({ all }: Shards): ShardOfPartition[] {
  return all.map((shard) => {
    const probe = (): Promise<void> => runStatement(shard, 'select 1 format Null');
    return { blocks: createBlocks(shard), gate: all.length === 1 ? undefined : createShardGate(probe) };
  });
}

function keepReports(
  { kafka: { topics, groupPrefix } }: Config,
  parts: Omit<KeepOptions, 'groupId' | 'topic'>,
): Promise<void> {
  return keepRelayReports({ ...parts, groupId: `${groupPrefix}-relay-reports`, topic: topics.relayReports });
}

/** All reports are in one shard, because they are few. */
function shardOfReports(shards: Shards): ClickHouse {
  return shards.of(0);
}

type Stores = {
  readonly db: Postgres;
  readonly shards: Shards;
  /** Reads all shards. */
  readonly clickhouse: ClickHouse;
  readonly log: Log;
  readonly recordFleet: (fleet: Fleet) => void;
};

function startJobs({ db, shards, clickhouse, log, recordFleet }: Stores): Job[] {
  return [
    startJob({ name: 'pruning of applications', pauseMs: PRUNE_PAUSE_MS, log }, (ending) =>
      pruneApplications(db, ending),
    ),
    startJob({ name: 'pruning of past configurations', pauseMs: PRUNE_PAUSE_MS, log }, (ending) =>
      prunePastConfigurations(db, shards.all, ending),
    ),
    ...shards.all.flatMap((shard, number) =>
      COPIED_TABLES.map((table) => {
        const name = jobName(table.name, number, shards.all.length);
        return startJob({ name, pauseMs: SYNC_PAUSE_MS, log }, createSync({ db, shard, log }, table));
      }),
    ),
    startJob({ name: 'sync of last evaluations', pauseMs: LAST_SEEN_PAUSE_MS, log }, () =>
      syncLastSeen(db, clickhouse),
    ),
    startJob({ name: 'features of other flag systems', pauseMs: SYNC_PAUSE_MS, log }, () =>
      registerFeatures(db, clickhouse),
    ),
    startJob({ name: 'sums of relays by day', pauseMs: ROLL_UP_PAUSE_MS, log }, () =>
      rollUpRelays(shardOfReports(shards)),
    ),
    startJob({ name: 'states of relays', pauseMs: SYNC_PAUSE_MS, log }, async () => {
      recordFleet(await readFleet(db));
    }),
  ];
}

type SyncStores = Pick<Stores, 'db' | 'log'> & { readonly shard: ClickHouse };

/** Each table by itself, so that one that fails does not stop the others. Each shard gets a whole copy. */
function createSync({ db, shard, log }: SyncStores, table: CopiedTable): () => Promise<void> {
  let wholeAt = -Infinity;
  return async () => {
    const now = performance.now();
    const isWhole = now - wholeAt >= WHOLE_SYNC_PAUSE_MS;
    const { removed } = await copyTable({ db, clickhouse: shard }, table, isWhole ? 'all' : 'newest');
    if (isWhole) wholeAt = now;
    if (table.appended !== undefined && removed > 0)
      log.warn(
        { table: table.table, rows: removed },
        'Postgres has lost rows that ClickHouse had copied, so the copies were removed',
      );
  };
}

function jobName(name: string, number: number, shards: number): string {
  return shards === 1 ? `sync of ${name}` : `sync of ${name} to shard ${number + 1}`;
}
