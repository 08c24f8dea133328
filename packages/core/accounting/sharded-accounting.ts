import { type ClickHouse, shardOf } from '#core/clickhouse';
import type { OpenBlocks } from './blocks/open-blocks.ts';
import {
  type Stored,
  type StoredAccounting,
  type StoredOptions,
  judgeStored,
  readStored,
} from './stored-accounting.ts';

/** Reads the stored accounting of each shard by itself, so that errors of two shards cannot cancel out. */
export function readShards(
  shards: readonly ClickHouse[],
  topic: string,
  options?: StoredOptions,
): Promise<Stored[]> {
  return Promise.all(shards.map((shard) => readStored(shard, topic, options)));
}

/** The accounting of all shards. If there are several, partitions and days name their shard. */
export function judgeShards(shards: readonly Stored[], open: OpenBlocks): StoredAccounting {
  const judged = shards.map((stored) => judgeStored(stored, open));
  const parts =
    judged.length === 1 ? judged : judged.map((part, index) => withShard(part, index, judged.length));
  return {
    partitions: parts.flatMap(({ partitions }) => partitions),
    imports: parts.flatMap(({ imports }) => imports),
    days: parts.flatMap(({ days }) => days),
    sampleMadeAt: parts.find(({ sampleMadeAt }) => sampleMadeAt !== undefined)?.sampleMadeAt,
  };
}

/** The stored accounting of all shards while nothing is being stored. */
export async function readShardedAccounting(
  shards: readonly ClickHouse[],
  topic: string,
): Promise<StoredAccounting> {
  return judgeShards(await readShards(shards, topic), new Map());
}

function withShard(part: StoredAccounting, number: number, shards: number): StoredAccounting {
  const shard = number + 1;
  return {
    ...part,
    partitions: part.partitions.map((one) => ({
      ...one,
      shard,
      ownShard: shardOf(one.partition, shards) + 1,
    })),
    days: part.days.map((day) => ({ ...day, shard })),
  };
}
