import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#runtime';
import { caughtUp } from './catch-up.ts';
import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client.ts';
import { type StatementOptions, renderStatement } from './render-statement.ts';

export type ClickHouseMigrationOptions = StatementOptions & {
  readonly directory: string;
  readonly log: Log;
};

/**
 * Applies the ClickHouse migrations of a folder that are not applied yet: numbered files whose statements end with `;` at the
 * end of a line. Statements must be repeatable, because ClickHouse cannot roll back a half-applied file. A line `{include
 * name.sql}` is replaced by that file of the folder `included`.
 */
export async function migrateClickHouse(
  server: ClickHouse,
  db: ClickHouse,
  options: ClickHouseMigrationOptions,
): Promise<void> {
  const { database, cluster, directory, log } = options;
  const onCluster = cluster === '' ? '' : `on cluster ${quoteIdentifier(cluster)}`;
  await runStatement(server, `create database if not exists ${quoteIdentifier(database)} ${onCluster}`);
  await runStatement(db, MIGRATIONS_TABLE);
  const applied = new Set(
    (await readRows<{ name: string }>(db, 'select name from migrations')).map(({ name }) => name),
  );
  for (const name of (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()) {
    if (applied.has(name)) continue;
    const sql = await readWithIncluded(directory, name);
    for (const statement of sql.split(/;\s*$/m))
      if (hasCode(statement)) await runStatement(db, renderStatement(statement, options));
    await db.insert({ table: 'migrations', values: [{ name }], format: 'JSONEachRow' });
    log.info({ migration: name }, 'clickhouse migration applied');
  }
}

/** Never replicated and not on the whole cluster: each server lists what was applied to itself, so the list is never stale. */
const MIGRATIONS_TABLE = `
  create table if not exists migrations
  (
    name String comment 'File that was applied',
    applied_at DateTime('UTC') default now() comment 'When'
  )
  engine = MergeTree
  order by name
  comment 'Migrations that were applied to this server'`;

/** Records that a topic is about to be created again: its offsets will start from 0. */
export async function beginEpoch(db: ClickHouse, topic: string): Promise<void> {
  const replica = await caughtUp(db, ['topic_epochs']);
  await replica.command({
    query: `insert into topic_epochs (topic, epoch)
            select {topic:String}, max(epoch) + 1
            from topic_epochs
            where topic = {topic:String}`,
    query_params: { topic },
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
}

async function readWithIncluded(directory: string, name: string): Promise<string> {
  const pieces = (await readFile(join(directory, name), 'utf8')).split(/^\{include (.+)\}$/m);
  let sql = '';
  for (const [index, piece] of pieces.entries()) {
    const isName = index % 2 === 1;
    sql += isName ? await readFile(join(directory, 'included', piece), 'utf8') : piece;
  }
  return sql;
}

function hasCode(statement: string): boolean {
  return statement.replace(/^\s*--.*$/gm, '').trim() !== '';
}
