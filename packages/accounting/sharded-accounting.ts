import { type ClickHouse, shardOf } from '#clickhouse';
import { type StoredAccounting, readStoredAccounting } from './stored-accounting.ts';

/**
 * Reads the stored accounting of each shard by itself, so that errors of two shards cannot cancel out. If there are several,
 * partitions and days name their shard.
 */
export async function readShardedAccounting(
  shards: readonly ClickHouse[],
  topic: string,
  since?: number,
): Promise<StoredAccounting> {
  const read = await Promise.all(shards.map((shard) => readStoredAccounting(shard, topic, since)));
  const parts = read.length === 1 ? read : read.map((part, number) => withShard(part, number, read.length));
  return {
    partitions: parts.flatMap(({ partitions }) => partitions),
    imports: parts.flatMap(({ imports }) => imports),
    days: parts.flatMap(({ days }) => days),
    sampleMadeAt: parts.find(({ sampleMadeAt }) => sampleMadeAt !== undefined)?.sampleMadeAt,
  };
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
