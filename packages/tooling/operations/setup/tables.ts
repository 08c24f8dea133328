import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClickHouse,
  type ShardedAccess,
  checkEveryReplica,
  failIfSingleServer,
  migrateAllShards,
  migrateClickHouse,
  migrateScratch,
  openClickHouse,
  serversOf,
  shardsOf,
} from '#core/clickhouse';
import { type Config, type Log, projectRoot } from '#base/runtime';

export const MIGRATIONS = join(projectRoot(import.meta.dirname), 'infra', 'migrations');

/** The names of all migrations of this version, without `.sql`, in their order. */
export async function migrationNames(engine: 'clickhouse' | 'postgres'): Promise<string[]> {
  const files = await readdir(join(MIGRATIONS, engine));
  return files.flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -'.sql'.length)] : [])).sort();
}

type Access = ShardedAccess<Config['clickhouse']>;

/**
 * Creates or updates only the tables and views of ClickHouse, on each server that the configuration names. Throws `shards` if a
 * server belongs to another shard, or if its cluster does not have each shard once.
 */
export async function setUpTables({ clickhouse }: { readonly clickhouse: Access }, log: Log): Promise<void> {
  const shards = shardsOf(clickhouse).length;
  const servers = serversOf(clickhouse);
  // The database that reads all shards, of each server.
  const reading = shards === 1 ? [] : servers.map(({ url }) => ({ ...clickhouse, url }));
  for (const server of reading)
    await withServer({ ...server, database: 'default' }, (db) =>
      failIfSingleServer(db, clickhouse.database, hostOf(server)),
    );
  for (const server of servers) await migrate(migrateClickHouse, server, log);
  for (const server of reading) await migrate(migrateAllShards, server, log);
  for (const server of reading)
    await withServer(server, (db) => checkEveryReplica(db, { ...clickhouse, shards, host: hostOf(server) }));
}

/** Creates a second database of a shard, which counts the same blocks and which nobody reads. */
export async function setUpScratch(access: Access, log: Log): Promise<void> {
  for (const server of serversOf(access)) await migrate(migrateScratch, server, log);
}

function migrate(run: typeof migrateClickHouse, access: Access, log: Log): Promise<void> {
  const options = { ...access, host: hostOf(access), directory: join(MIGRATIONS, 'clickhouse'), log };
  // Without the check of its shard, which the migration itself records.
  return withServer({ ...access, shard: undefined, database: 'default' }, (server) =>
    withServer({ ...access, shard: undefined }, (db) => run(server, db, options)),
  );
}

async function withServer<T>(access: Access, work: (db: ClickHouse) => Promise<T>): Promise<T> {
  const db = openClickHouse(access);
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

function hostOf({ url }: Access): string {
  return new URL(url).host;
}
