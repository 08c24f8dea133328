import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '#base/runtime';
import { ownTables, readOtherViews, renderForAllShards } from './client/all-shards.ts';
import { type ClickHouse, quoteIdentifier, readRows, runStatement } from './client/client.ts';
import { type StatementOptions, renderStatement } from './client/render-statement.ts';
import { ONLY_SHARD, SHARD_NUMBERS_TABLE, claimShard } from './client/shard-numbers.ts';

export type ClickHouseMigrationOptions = StatementOptions & {
  readonly directory: string;
  readonly log: Log;
  /** Names the server in errors. */
  readonly host: string;
};

/**
 * Applies the ClickHouse migrations of a folder that are not applied yet: numbered files whose statements end with `;` at the
 * end of a line. Statements must be repeatable, because ClickHouse cannot roll back a half-applied file. A line `{include
 * name.sql period=hour}` is replaced by that file of the folder `included`, with `hour` for `{period}`. It may include others.
 */
export function migrateClickHouse(
  server: ClickHouse,
  db: ClickHouse,
  options: ClickHouseMigrationOptions,
): Promise<void> {
  return migrateShard({ server, db }, options, (statement) => renderStatement(statement, options));
}

/** The same for an empty database that nobody reads: the tables, the views that fill them, and the view `retention`. */
export function migrateScratch(
  server: ClickHouse,
  db: ClickHouse,
  options: ClickHouseMigrationOptions,
): Promise<void> {
  return migrateShard({ server, db }, options, (statement) =>
    FOR_READERS.test(statement) ? undefined : renderStatement(statement, options),
  );
}

type Clients = { readonly server: ClickHouse; readonly db: ClickHouse };
type Render = (statement: string) => string | undefined;

async function migrateShard(
  { server, db }: Clients,
  options: ClickHouseMigrationOptions,
  render: Render,
): Promise<void> {
  await createDatabase(server, options);
  await runStatement(db, SHARD_NUMBERS_TABLE);
  await claimShard(db, options.shard ?? ONLY_SHARD, options.host);
  await applyMigrations(db, options, render);
}

/** Views that are read, or computed again and again. */
const FOR_READERS = /^create view (?!if not exists retention\b)|^refresh /m;

/** Applies the same migrations to the database that reads all shards, on a server whose own shard has them already. */
export async function migrateAllShards(
  server: ClickHouse,
  db: ClickHouse,
  { cluster, ...options }: ClickHouseMigrationOptions,
): Promise<void> {
  await createDatabase(server, { ...options, cluster: '' });
  const others = await readOtherViews(options.directory);
  const reading = { database: options.database, cluster };
  for (const statement of ownTables(reading)) await runStatement(db, statement);
  await applyMigrations(db, options, (statement) => renderForAllShards(statement, reading, others));
}

async function createDatabase(
  server: ClickHouse,
  { database, cluster }: Pick<StatementOptions, 'database' | 'cluster'>,
): Promise<void> {
  const onCluster = cluster === '' ? '' : `on cluster ${quoteIdentifier(cluster)}`;
  await runStatement(server, `create database if not exists ${quoteIdentifier(database)} ${onCluster}`);
}

type Files = Pick<ClickHouseMigrationOptions, 'directory' | 'log'>;

/** Runs each statement as it is rendered; none if that is undefined. */
async function applyMigrations(db: ClickHouse, { directory, log }: Files, render: Render): Promise<void> {
  await runStatement(db, MIGRATIONS_TABLE);
  const applied = new Set(
    (await readRows<{ name: string }>(db, 'select name from migrations')).map(({ name }) => name),
  );
  const files = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort();
  const missing = files.filter((name) => !applied.has(name));
  for (const name of missing) {
    const sql = await readMigration(directory, name);
    for (const statement of sql.split(/;\s*$/m)) {
      const rendered = hasCode(statement) ? render(statement) : undefined;
      if (rendered !== undefined) await runStatement(db, rendered);
    }
    log.info({ migration: name }, 'clickhouse migration applied');
  }
  if (missing.length === 0) return;
  // At the end, in one INSERT: after a failure all are applied again, which changes nothing.
  await db.insert({ table: 'migrations', values: missing.map((name) => ({ name })), format: 'JSONEachRow' });
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

/** The statements of a migration, with the files that it includes, in which `values` take the place of their names in braces. */
export async function readMigration(
  directory: string,
  name: string,
  values: Iterable<readonly [string, string]> = [],
): Promise<string> {
  let text = await readFile(join(directory, name), 'utf8');
  for (const [key, value] of values) text = text.replaceAll(`{${key}}`, value);
  let sql = '';
  for (const [index, piece] of text.split(/^\{include (.+)\}$/m).entries()) {
    const isInclusion = index % 2 === 1;
    const [file = '', ...given] = piece.split(' ');
    const read = () => readMigration(directory, join('included', file), new URLSearchParams(given.join('&')));
    sql += isInclusion ? (await read()).trimEnd() : piece;
  }
  return sql;
}

function hasCode(statement: string): boolean {
  return statement.replace(/^\s*--.*$/gm, '').trim() !== '';
}
