import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import type { Log, PostgresAccess } from '#runtime';
import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './clickhouse.ts';
import { clientConfig } from './postgres.ts';

const LOCK_ID = 4_242_001;

/**
 * Runs `work` while holding an advisory lock of Postgres, so that of two processes that migrate at once one waits
 * for the other. Ends the lock with its connection.
 */
export async function withMigrationLock<T>(access: PostgresAccess, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...clientConfig(access), connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_ID]);
    return await work();
  } finally {
    await client.end();
  }
}

/** Applies the Postgres migrations of a folder that are not applied yet. */
export async function migratePostgres(access: PostgresAccess, directory: string, log: Log): Promise<void> {
  const quiet = {
    debug: noop,
    info: noop,
    warn: noop,
    error: (message: string) => {
      log.error(message);
    },
  };
  // Only whoever migrates needs it: every process would start a tenth slower.
  const { runner } = await import('node-pg-migrate');
  const applied = await runner({
    databaseUrl: clientConfig(access),
    dir: directory,
    direction: 'up',
    migrationsTable: 'migrations',
    advisoryLockMode: 'wait',
    logger: quiet,
  });
  for (const { name } of applied) log.info({ migration: name }, 'postgres migration applied');
}

export type ClickHouseMigrationOptions = {
  readonly database: string;
  readonly enginePrefix: '' | 'Replicated';
  readonly cluster: string;
  readonly directory: string;
  readonly log: Log;
};

/**
 * Applies the ClickHouse migrations of a folder that are not applied yet: numbered files of statements that end in
 * `;` at the end of a line and may be repeated, because ClickHouse cannot roll a half-applied file back. A line
 * `{include name.sql}` stands for a file of the folder's folder `included`.
 */
export async function migrateClickHouse(
  server: ClickHouse,
  db: ClickHouse,
  options: ClickHouseMigrationOptions,
): Promise<void> {
  const { database, enginePrefix, cluster, directory, log } = options;
  const onCluster = cluster === '' ? '' : `on cluster ${quoteIdentifier(cluster)}`;
  const render = (sql: string): string =>
    sql
      .replaceAll('{engine}', enginePrefix)
      .replaceAll('{on_cluster}', onCluster)
      .replaceAll('{database}', quoteText(database));
  await runStatement(server, `create database if not exists ${quoteIdentifier(database)} ${onCluster}`);
  await runStatement(db, render(MIGRATIONS_TABLE));
  const applied = new Set(
    (await readRows<{ name: string }>(db, 'select name from migrations')).map(({ name }) => name),
  );
  for (const name of (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()) {
    if (applied.has(name)) continue;
    const sql = render(await readWithIncluded(directory, name));
    for (const statement of sql.split(/;\s*$/m)) if (hasCode(statement)) await runStatement(db, statement);
    await db.insert({ table: 'migrations', values: [{ name }], format: 'JSONEachRow' });
    log.info({ migration: name }, 'clickhouse migration applied');
  }
}

const MIGRATIONS_TABLE = `
  create table if not exists migrations {on_cluster}
  (
    name String comment 'File that was applied',
    applied_at DateTime default now() comment 'When'
  )
  engine = {engine}MergeTree
  order by name
  comment 'Migrations that were applied'`;

/** Records that a topic is about to be created anew: its offsets will begin again. */
export async function beginEpoch(db: ClickHouse, topic: string): Promise<void> {
  await db.command({
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

function quoteText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function noop(): void {
  // node-pg-migrate tells every statement; what was applied is logged once at the end.
}
