import { type ClickHouse, type ClickHouseOptions, openClickHouse } from './client.ts';
import { shardDatabaseOf } from './shard-database.ts';

/** The shards in the order of CLICKHOUSE_URL; a single server is a list of one. The caller closes them. */
export type Shards = {
  readonly all: readonly [ClickHouse, ...ClickHouse[]];
  /** The shard that stores the blocks of a Kafka partition. */
  of(partition: number): ClickHouse;
  close(): Promise<void>;
};

type Access = Pick<ClickHouseOptions, 'url' | 'database' | 'shard'> & { readonly cluster?: string };

/** Access that may be to one of several shards. */
export type ShardedAccess<T extends Omit<Access, 'shard'>> = T & Pick<Access, 'shard'>;

/**
 * The options for each shard alone: its replicas, and the database with its part of the tables. The configured database then
 * reads all shards. With one shard there is only the configured database.
 */
export function shardsOf<T extends Access>(options: T): [ShardedAccess<T>, ...ShardedAccess<T>[]] {
  const [first = '', ...others] = options.url.split(';');
  if (others.length === 0) return [options];
  const database = shardDatabaseOf(options.database);
  const of = 1 + others.length;
  // Without a cluster, because statements on the cluster would reach the other shards.
  const shard = (url: string, number: number): ShardedAccess<T> => ({
    ...options,
    url,
    database,
    cluster: '',
    shard: { number, of },
  });
  return [shard(first, 0), ...others.map((url, index) => shard(url, index + 1))];
}

/** The same options for each replica of a shard alone. */
export function replicasOf<T extends Access>(options: T): T[] {
  return options.url.split(',').map((url) => ({ ...options, url: url.trim() }));
}

/** The same options with the first replica of each shard only. */
export function firstReplicasOf<T extends Access>(options: T): T {
  const first = options.url.split(';').map((shard) => (shard.split(',')[0] ?? '').trim());
  return { ...options, url: first.join(';') };
}

/** The options for each server alone, as part of its shard. */
export function serversOf<T extends Access>(options: T): ShardedAccess<T>[] {
  return shardsOf(options).flatMap(replicasOf);
}

/** The shard of a Kafka partition. It never changes, because the history of a partition is in its shard. */
export function shardOf(partition: number, shards: number): number {
  return partition % shards;
}

export function openShards(options: ClickHouseOptions): Shards {
  const [first, ...others] = shardsOf(options);
  const all: Shards['all'] = [openClickHouse(first), ...others.map(openClickHouse)];
  return {
    all,
    of: (partition) => all[shardOf(partition, all.length)] ?? all[0],
    close: async () => {
      await Promise.all(all.map((shard) => shard.close()));
    },
  };
}
