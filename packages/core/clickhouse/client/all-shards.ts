import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FlagmeterError } from '#base/runtime';
import { type ClickHouse, quoteIdentifier, quoteText, readRows } from './client.ts';
import { renderStatement } from './render-statement.ts';
import { shardDatabaseOf } from './shard-database.ts';

/**
 * With several shards, each server has a second database with the same names, which reads all shards. People and the admin API
 * use it. Its tables store nothing that was counted: those of counts are distributed, and those of the catalogue are the server's
 * own copy.
 */
export type AllShardsOptions = { readonly database: string; readonly cluster: string };

/** Views of the second database that need another text than those of a shard, by name. */
export type OtherViews = ReadonlyMap<string, string>;

/** Reads the folder `all-shards`, which has a file for each of them. */
export async function readOtherViews(directory: string): Promise<OtherViews> {
  const folder = join(directory, 'all-shards');
  const views = new Map<string, string>();
  for (const file of await readdir(folder))
    views.set(file.replace(/\.sql$/, ''), await readFile(join(folder, file), 'utf8'));
  return views;
}

/** The statement for the second database in place of one of a migration; undefined if it needs none. */
export function renderForAllShards(
  statement: string,
  options: AllShardsOptions,
  others: OtherViews,
): string | undefined {
  const [, kind, name = ''] =
    /^create (table|view|materialized view) if not exists (\w+)/m.exec(statement) ?? [];
  if (name === 'block_rows' || name === 'mixed_block_rows') return undefined;
  // A table of each server, which one of its views fills, has an engine of its own.
  if (kind === 'table' && statement.includes('{engine}')) return readingTable(name, options);
  if (kind === 'table') return renderView(statement, options.database);
  if (kind === 'view') return renderView(others.get(name) ?? statement, options.database);
  // A view that fills a table fills that of its shard. One that is computed again and again has to read all shards.
  if (kind === 'materialized view')
    return /^refresh /m.test(statement) ? renderView(statement, options.database) : undefined;
  throw new FlagmeterError('migration', 'a migration has a statement without a rule for several shards');
}

/** The tables that no migration creates. The view `retention` reads the second one. */
export function ownTables({ database, cluster }: AllShardsOptions): string[] {
  const shard = shardDatabaseOf(database);
  return [
    tableLike(shard, { name: 'shard_numbers', engine: distributed([cluster, shard, 'shard_numbers']) }),
    tableLike(shard, {
      name: 'retention_of_shards',
      columnsOf: 'retention',
      engine: distributed([cluster, shard, 'retention']),
    }),
  ];
}

/** The catalogue sync copies the whole catalogue to each shard. */
function readingTable(name: string, { database, cluster }: AllShardsOptions): string {
  const shard = shardDatabaseOf(database);
  const own = `Merge(${quoteText(shard)}, ${quoteText(`^${name}$`)})`;
  const engine = name.endsWith('_copies') ? own : distributed([cluster, shard, name]);
  return tableLike(shard, { name, engine });
}

function distributed(parameters: readonly [cluster: string, database: string, table: string]): string {
  return `Distributed(${parameters.map(quoteText).join(', ')})`;
}

type Table = { readonly name: string; readonly engine: string; readonly columnsOf?: string };

/** A table with the columns of one of the shard. */
function tableLike(shard: string, { name, engine, columnsOf = name }: Table): string {
  return `create table if not exists ${name} as ${quoteIdentifier(shard)}.${columnsOf} engine = ${engine}`;
}

/** FINAL merges the rows of each shard alone, and a key may be in several of them. */
const MERGED = `(
  select
    feature_name,
    environment,
    app_name,
    min(s.first_hour) as first_hour,
    max(s.last_hour) as last_hour,
    max(s.excess_hour) as excess_hour
  from feature_app_seen_states as s
  group by feature_name, environment, app_name
)`;

function renderView(statement: string, database: string): string {
  const merged = statement.replaceAll('feature_app_seen_states final', MERGED);
  const [, other] = /\b(\w+)(?<!_copies) final\b/.exec(merged) ?? [];
  if (other !== undefined)
    throw new FlagmeterError(
      'migration',
      `a view reads ${other} with final, which does not merge several shards`,
    );
  return renderStatement(merged, { database, enginePrefix: '', cluster: '' });
}

/** Throws `shards` if a database has its own tables: its counts would be missing in the sums of all shards. */
export async function failIfSingleServer(server: ClickHouse, database: string, host: string): Promise<void> {
  const own = await readRows<{ name: string }>(
    server,
    `select name
     from system.tables
     where database = {database:String}
       and name = 'usage_hourly'
       and engine like '%MergeTree'`,
    { database },
  );
  if (own.length === 0) return;
  throw new FlagmeterError(
    'shards',
    `${host} already counts as a single server. Its counts cannot be divided among the shards of CLICKHOUSE_URL: use other servers, or another CLICKHOUSE_DATABASE`,
  );
}
