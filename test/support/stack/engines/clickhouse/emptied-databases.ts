import { createHash } from 'node:crypto';
import { existsSync, readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { type ClickHouse, openClickHouse, quoteIdentifier, readRows, runStatement } from '#core/clickhouse';
import type { Config, Log } from '#base/runtime';
import { setUpCounting } from '../../../../../packages/tooling/operations/setup/set-up.ts';
import { EMPTIED_VARIABLE } from '../../../../../tools/run/suite/emptied.ts';
import { untilEndOfProcess } from '../../../left-behind.ts';
import { PATIENCE_MS, dropClickHouse } from '../world-databases.ts';
import { computeVerdictsOnRequest, hasSeveralServers } from './idle-verdicts.ts';

type Database = Config['clickhouse'];

/**
 * Databases that ended worlds of this process left, with all tables and views and no rows. Creating one costs many times
 * the CPU, most of it for the views. Processes of one run share a folder of them instead.
 */
const emptied = new Map<string, Config>();
/** A hash of the tables and views that each database had at first. */
const schemas = new Map<string, string>();

/** The name of a database that a world left; undefined if there is none. */
export function takeEmptied(): string | undefined {
  const folder = process.env[EMPTIED_VARIABLE];
  if (folder !== undefined) return takeFrom(folder);
  const name = [...emptied.keys()].at(-1);
  if (name !== undefined) emptied.delete(name);
  return name;
}

/** Each file has the name of a database and the hash of its tables. Whoever removes it has the database. */
function takeFrom(folder: string): string | undefined {
  for (const file of readdirSync(folder))
    try {
      unlinkSync(path.join(folder, file));
      const [name = '', schema = ''] = file.split('-');
      schemas.set(name, schema);
      return name;
    } catch {
      // Another process was faster.
    }
  return undefined;
}

/** What `flagmeter migrate` does besides Postgres. An emptied database already has its tables and views. */
export async function setUpCopy(config: Config, log: Log): Promise<void> {
  await setUpCounting(config, log);
  const { clickhouse } = config;
  const isMade = schemas.has(clickhouse.database);
  if (isMade || hasSeveralServers(clickhouse)) return;
  await computeVerdictsOnRequest(config);
  schemas.set(clickhouse.database, await asServer(clickhouse, readSchema));
}

/** Empties the database of an ended world for the next one, or drops it. The topics of the world have its name. */
export async function leaveEmptied(config: Config, name: string): Promise<void> {
  const isKept = await asServer(config.clickhouse, async (db, database) => {
    // What has not ended with the services of the world, such as a query whose answer nobody waited for.
    await runStatement(db, `kill query where current_database = '${database}' sync`);
    if (!(await isLikeNew(config, db))) return false;
    return emptyTables(db, database);
  });
  if (isKept) keep(config);
  else await dropClickHouse(config, name);
}

/** Whether a database without its rows is like a new one: its tables and views are unchanged, and nothing is still changing them. */
export async function isLikeNew({ clickhouse: { database } }: Config, db: ClickHouse): Promise<boolean> {
  if ((await readSchema(db, database)) !== schemas.get(database)) return false;
  const found = await readRows(
    db,
    `select view from system.view_refreshes where database = {database:String} and startsWith(status, 'Running')
     union all
     select table from system.mutations where database = {database:String} and not is_done`,
    { database },
  );
  return found.length === 0;
}

/**
 * Empties all tables, except those that say what the migrations did. Returns whether they have forgotten all tokens: a truncated table keeps
 * those of a partition that was replaced, for example.
 */
async function emptyTables(db: ClickHouse, database: string): Promise<boolean> {
  const tables = await readRows<{ name: string; folder: string; has_rows: number }>(
    db,
    `select name, data_paths[1] as folder, total_rows > 0 as has_rows
     from system.tables
     where database = {database:String}
       and engine like '%MergeTree'
       and name not in ('migrations', 'shard_numbers')`,
    { database },
  );
  let areForgotten = true;
  for (const { name, folder, has_rows: hasRows } of tables) {
    if (!hasRows && !(await remembersTokens(folder))) continue;
    await runStatement(db, `truncate table ${quoteIdentifier(database)}.${quoteIdentifier(name)}`);
    areForgotten &&= !(await remembersTokens(folder));
  }
  return areForgotten;
}

/**
 * Whether a table remembers the token of a block, by its log: each line adds a token (1) or drops it (2). A table without tokens has no log.
 * ClickHouse begins a second file after thousands of lines and may then delete the first, so two files count as a token.
 */
async function remembersTokens(folderOfTable: string): Promise<boolean> {
  const folder = path.join(folderOfTable, 'deduplication_logs');
  const [file, ...more] = existsSync(folder) ? await readdir(folder) : [];
  if (file === undefined) return false;
  if (more.length > 0) return true;
  const remembered = new Set<string>();
  const lines = (await readFile(path.join(folder, file), 'utf8')).split('\n');
  for (const [operation = '', , token = ''] of lines.map((line) => line.split('\t')))
    if (operation === '1') remembered.add(token);
    else remembered.delete(token);
  return remembered.size > 0;
}

function keep(config: Config): void {
  const { database } = config.clickhouse;
  const folder = process.env[EMPTIED_VARIABLE];
  if (folder !== undefined) {
    writeFileSync(path.join(folder, `${database}-${schemas.get(database) ?? ''}`), '');
    return;
  }
  emptied.set(database, config);
  untilEndOfProcess({
    async dispose() {
      if (emptied.delete(database)) await dropClickHouse(config, database);
    },
  });
}

/**
 * A hash of the definitions that ClickHouse keeps of its tables and views. Read as files, because `system.tables` parses and formats each of
 * them, at 20 times the CPU. Without ids and the tables within views, because each refresh of a view replaces the table that it fills.
 */
async function readSchema(db: ClickHouse, database: string): Promise<string> {
  const [row] = await readRows<{ data: string; metadata: string; detached: string[] }>(
    db,
    `select
       (select path from system.disks where name = 'default') as data,
       metadata_path as metadata,
       (select arraySort(groupArray(table)) from system.detached_tables where database = {database:String}) as detached
     from system.databases
     where name = {database:String}`,
    { database },
  );
  if (row === undefined) return '';
  const folder = path.resolve(row.data, row.metadata);
  const files = (await readdir(folder)).filter((file) => !file.startsWith(OF_VIEW)).sort();
  const definitions = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
  const hash = createHash('sha256').update(row.detached.join());
  for (const [index, definition] of definitions.entries())
    hash.update(`${files[index]}\n${definition.replaceAll(/ UUID '[^']+'/g, '')}`);
  return hash.digest('hex');
}

/** How the files of tables within views begin: an encoded dot. */
const OF_VIEW = '%2E';

async function asServer<T>(
  access: Database,
  work: (db: ClickHouse, database: string) => Promise<T>,
): Promise<T> {
  const db = openClickHouse({ ...access, shard: undefined, database: 'default', timeoutMs: PATIENCE_MS });
  try {
    return await work(db, access.database);
  } finally {
    await db.close();
  }
}
