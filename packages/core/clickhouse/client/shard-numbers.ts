import { FlagmeterError } from '#base/runtime';
import { readRows } from './read-rows.ts';
import type { ClickHouse } from './replicas.ts';
import { quoteText } from './quote.ts';
import { shardDatabaseOf } from './shard-database.ts';

/** The place of a shard in CLICKHOUSE_URL, from 0, and the number of shards. */
export type Shard = { readonly number: number; readonly of: number };

/** A server that is used without other shards. */
export const ONLY_SHARD: Shard = { number: 0, of: 1 };

type Readable = Pick<ClickHouse, 'query'>;

/** Checks one server, which its errors name by host and port. */
export type ServerCheck = (db: Readable, server: string) => Promise<void>;

type Row = { readonly shard: number; readonly shards: number };

/** Never replicated: each server says itself where it belongs. In the database of all shards the table reads all of them. */
export const SHARD_NUMBERS_TABLE = `
  create table if not exists shard_numbers
  (
    shard UInt32 comment 'Position of the shard in CLICKHOUSE_URL, from 0',
    shards UInt32 comment 'Number of shards'
  )
  engine = MergeTree
  order by shard
  comment 'The shard that this server belongs to, written by the first migration'`;

/** Records where a server belongs, the first time. Throws `shards` if it belongs elsewhere already. */
export async function claimShard(db: ClickHouse, shard: Shard, server: string): Promise<void> {
  if ((await readNumbers(db)).length === 0)
    await db.insert({
      table: 'shard_numbers',
      values: [{ shard: shard.number, shards: shard.of }],
      format: 'JSONEachRow',
    });
  await checkShard(db, shard, server);
}

/**
 * Throws `shards` if a server belongs to another shard. Otherwise a changed order of CLICKHOUSE_URL would divide the history of
 * a partition, and its repetitions would count again.
 */
export async function checkShard(db: Readable, { number, of }: Shard, server: string): Promise<void> {
  const rows = await readNumbers(db);
  if (rows.length === 1 && rows[0]?.shard === number && rows[0].shards === of) return;
  throw new FlagmeterError(
    'shards',
    `${server} belongs to ${textOf(rows)}, but CLICKHOUSE_URL names it as shard ${number + 1} of ${of}: name the same shards in the same order as before, because each Kafka partition stays in its shard`,
  );
}

/** Throws `shards` unless the cluster of a server reads each shard once. A view would add up other numbers. */
export async function checkCluster(db: Readable, shards: number, server: string): Promise<void> {
  const rows = await readNumbers(db);
  const isComplete = rows.length === shards && rows.every((row, index) => row.shard === index);
  if (isComplete && rows.every((row) => row.shards === shards)) return;
  throw new FlagmeterError(
    'shards',
    `The cluster that CLICKHOUSE_CLUSTER names in remote_servers of ${server} reads ${textOf(rows)}, but CLICKHOUSE_URL names ${shards} shards: correct the cluster, so that it has each shard once`,
  );
}

export type Cluster = {
  readonly cluster: string;
  readonly database: string;
  readonly shards: number;
  readonly host: string;
};

/** As `checkCluster`, for each replica that the cluster of a server names. Rejects if one of them is unreachable. */
export async function checkEveryReplica(
  db: Readable,
  { cluster, database, shards, host }: Cluster,
): Promise<void> {
  // The shard of each replica, in the order of the definition.
  const defined = await readRows<{ place: number }>(
    db,
    'select shard_num as place from system.clusters where cluster = {cluster:String} order by place, replica_num',
    { cluster },
  );
  const places = [cluster, shardDatabaseOf(database), 'shard_numbers'].map(quoteText).join(', ');
  // Here _shard_num is the number of the replica in that order. One that is named twice occurs once.
  const found = await readRows<Row & { replica: number }>(
    db,
    `select _shard_num as replica, shard, shards from clusterAllReplicas(${places})`,
  );
  const own = found.map(({ shard }) => shard);
  const named = found.map(({ replica }) => defined[replica - 1]?.place);
  const both = found.map((_, index) => `${named[index] ?? 0} is ${own[index] ?? 0}`);
  const isRight =
    found.length === defined.length &&
    found.every((row) => row.shards === shards) &&
    [own, named, both].every((values) => new Set<unknown>(values).size === shards);
  if (isRight) return;
  throw new FlagmeterError(
    'shards',
    `The cluster ${cluster} in remote_servers of ${host} does not have each shard of CLICKHOUSE_URL once, with replicas of that shard only: correct it`,
  );
}

function readNumbers(db: Readable): Promise<Row[]> {
  return readRows<Row>(db, 'select shard, shards from shard_numbers order by shard');
}

function textOf(rows: readonly Row[]): string {
  return rows.length === 0
    ? 'no shard'
    : rows.map(({ shard, shards }) => `shard ${shard + 1} of ${shards}`).join(' and ');
}
