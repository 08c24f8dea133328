import {
  type BatchConsumer,
  type FetchedBatch,
  type GivenToConsumer,
  consumeBatches,
  openCommittedOffsets,
} from '#core/kafka';
import { FlagmeterError } from '#base/runtime';
import type { Partition } from './counts-partition.ts';
import { type ShardGate, StoreAway } from '../shard-gate.ts';
import { type TakeOverOptions, takeOver } from './take-over-counts.ts';

const MAX_BYTES_PER_PARTITION = 8 * 1024 * 1024;

/** Twice, so that another replica of the shard gets its turn. */
const MAX_FAILURES = 2;
const POSTPONED_MS = 2000;

export type ShardOfPartition = {
  readonly blocks: TakeOverOptions['blocks'];
  /** Undefined if there are no other shards, whose partitions would wait. */
  readonly gate: ShardGate | undefined;
};

export type CountsOptions = Omit<TakeOverOptions, 'committedOffsets' | 'blocks' | 'maxFailures'> & {
  readonly shardOf: (partition: number) => ShardOfPartition;
} & GivenToConsumer;

/** Stores the messages of the counts topic in ClickHouse, each exactly once. */
export async function consumeCounts(options: CountsOptions): Promise<BatchConsumer> {
  const { kafka, groupId, topic, epoch, onCrash, log, signal, troubles } = options;
  if (epoch === 0) throw new FlagmeterError('no-epoch', `${topic} was never set up: run "flagmeter migrate"`);
  const committedOffsets = await openCommittedOffsets(kafka, { groupId, log, signal, troubles });
  const consumer = await consumeBatches(
    kafka,
    {
      groupId,
      topic,
      // Each partition of a fetch makes one INSERT, which costs ClickHouse 25 ms whatever its size. So a fetch waits up to a
      // second, or until it has the maximum of one partition: a worker may have only one.
      minBytes: MAX_BYTES_PER_PARTITION,
      maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
      // One partition decodes while ClickHouse stores the block of the other. More would only hold more blocks in memory.
      partitionsConcurrently: 2,
      onSlowFetch: options.metrics.slowFetchOf(topic),
      log,
      signal,
      troubles,
      onCrash,
    },
    createHandler(options, committedOffsets),
  );
  return {
    isJoined: () => consumer.isJoined(),
    async stop() {
      await consumer.stop();
      await committedOffsets.close();
    },
  };
}

type Handler = (batch: FetchedBatch) => Promise<void>;

type HandlerOptions = Omit<CountsOptions, 'kafka' | 'groupId' | 'signal' | 'troubles' | 'onCrash'>;

/** Stores the fetched messages of a partition, or postpones them while its shard is unreachable. */
export function createHandler(
  options: HandlerOptions,
  committedOffsets: TakeOverOptions['committedOffsets'],
): Handler {
  const { topic, metrics, shardOf } = options;
  const partitions = new Map<number, Partition>();
  const store = async (batch: FetchedBatch, { blocks, gate }: ShardOfPartition): Promise<void> => {
    let partition = partitions.get(batch.partition);
    if (partition?.generation !== batch.group.generation) {
      const maxFailures = gate && MAX_FAILURES;
      partition = await takeOver({ ...options, blocks, committedOffsets, maxFailures }, batch);
      partitions.set(batch.partition, partition);
    }
    await partition.consume(batch);
    metrics.lag.set({ topic, partition: batch.partition }, batch.lag);
    batch.advance();
  };
  return async (batch) => {
    const shard = shardOf(batch.partition);
    const { gate } = shard;
    if (gate === undefined) return store(batch, shard);
    try {
      if (await gate.isOpen()) await store(batch, shard);
      else batch.postpone(POSTPONED_MS);
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
      gate.close();
      batch.postpone(POSTPONED_MS);
    }
  };
}
