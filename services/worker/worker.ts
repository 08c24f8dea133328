import {
  type Shards,
  createBlocks,
  openShards,
  readCurrentEpoch,
  runStatement,
  shardOf,
} from '#core/clickhouse';
import { serve } from '#base/http';
import {
  type BatchConsumer,
  type Kafka,
  createKafka,
  createMessageProducer,
  runConsumers,
} from '#core/kafka';
import {
  type Config,
  type Fail,
  FlagmeterError,
  type Log,
  type Registry,
  type Service,
  type Tracing,
  Troubles,
  createRegistry,
  openTracing,
  untilReached,
} from '#base/runtime';
import { type ShardOfPartition, consumeCounts } from './counts/counts.ts';
import { type FlagUsage, createFlagUsage } from './counts/flag-usage.ts';
import { createRefusalLog } from './counts/refusal-log.ts';
import { type DeadLetters, createDeadLetters } from './dead-letter-topic.ts';
import { type WorkerMetrics, createWorkerMetrics } from './metrics.ts';
import { createShardGate } from './shard-gate.ts';

/** What the consumers of a worker share. */
export type WorkerParts = {
  readonly config: Config;
  readonly kafka: Kafka;
  readonly shards: Shards;
  readonly deadLetters: DeadLetters;
  readonly metrics: WorkerMetrics;
  readonly registry: Registry;
  /** Undefined if it should show no counter of Unleash. */
  readonly flagUsage: FlagUsage | undefined;
  readonly log: Log;
  /** Aborts when the worker stops. */
  readonly signal: AbortSignal;
  readonly troubles: Troubles;
  readonly onCrash: Fail;
};

/** What a worker does beside counting, in groups of its own, so that it delays no count. */
export type Beside = {
  /** Those that must have joined their groups before the worker is ready. */
  readonly consumers: readonly (() => Promise<BatchConsumer | undefined>)[];
  /** Waits for the rest, after the signal of the worker. */
  end(): Promise<void>;
  /** Closes the connections of its own, last. */
  close(): Promise<void>;
};

/**
 * Stores the counts of Kafka in ClickHouse. It listens at once and connects to its engines in the background, so that it can start
 * before them.
 */
export async function runWorker(
  config: Config,
  { log, fail }: { readonly log: Log; readonly fail: Fail },
  open: (parts: WorkerParts) => Beside,
): Promise<Service> {
  const registry = createRegistry();
  const connection = { access: config.kafka, clientId: 'flagmeter-worker', log };
  const producer = createMessageProducer(createKafka({ ...connection, retries: 0 }));
  const shards = openShards(config.clickhouse);
  const tracing = await openTracing(config.tracing, 'worker', log);
  const { flagUsageSeries } = config.worker;
  const flagUsage = flagUsageSeries === 0 ? undefined : createFlagUsage(registry, flagUsageSeries);
  const stopping = new AbortController();
  const troubles = new Troubles();
  const parts: WorkerParts = {
    config,
    shards,
    registry,
    flagUsage,
    log,
    troubles,
    signal: stopping.signal,
    onCrash: fail,
    kafka: createKafka({ ...connection, retries: 5 }),
    metrics: createWorkerMetrics(registry),
    deadLetters: createDeadLetters({ producer, deadLetterTopic: config.kafka.topics.deadLetters, log }),
  };
  const beside = open(parts);
  const consumers = runConsumers([() => startCounts(parts, tracing), ...beside.consumers], fail);
  return serve({
    config,
    log,
    registry,
    readUnmerged: flagUsage && (() => flagUsage.read()),
    routers: [],
    readiness: () =>
      consumers.areJoined() ? undefined : troubles.after('The consumers have not joined their groups yet.'),
    async finish() {
      stopping.abort();
      await Promise.all([consumers.stop(), beside.end()]);
      await producer.disconnect();
      await Promise.all([shards.close(), beside.close()]);
      await tracing?.stop();
    },
  });
}

/** Undefined if the worker stops before ClickHouse has answered. */
async function startCounts(
  parts: WorkerParts,
  tracing: Tracing | undefined,
): Promise<BatchConsumer | undefined> {
  const { config, shards, flagUsage, log, signal, troubles } = parts;
  const { duplicateWindowMs, maxDeadLetters } = config.worker;
  const { topics, groupPrefix } = config.kafka;
  const ordered = shardsOfPartitions(shards);
  const readEpoch = (): Promise<number> => readCurrentEpoch(shards, topics.counts);
  const isFinal = (error: unknown): boolean => error instanceof FlagmeterError;
  const epoch = await untilReached(readEpoch, { engine: 'ClickHouse', log, signal, troubles, isFinal });
  if (epoch === undefined) return undefined;
  const refusals = createRefusalLog(log);
  const consumer = await consumeCounts({
    ...parts,
    onStored: (block) => {
      refusals.note(block);
      flagUsage?.note(block);
    },
    groupId: `${groupPrefix}-counts`,
    topic: topics.counts,
    epoch,
    shardOf: (partition) => ordered[shardOf(partition, ordered.length)] as ShardOfPartition, // an index
    tracing,
    duplicateWindowMs,
    maxDeadLetters,
  });
  return {
    isJoined: () => consumer.isJoined(),
    async stop() {
      await consumer.stop();
      refusals.close();
    },
  };
}

/** What the worker needs of each shard to store blocks. */
function shardsOfPartitions({ all }: Shards): ShardOfPartition[] {
  return all.map((shard) => {
    const probe = (): Promise<void> => runStatement(shard, 'select 1 format Null');
    return { blocks: createBlocks(shard), gate: all.length === 1 ? undefined : createShardGate(probe) };
  });
}
