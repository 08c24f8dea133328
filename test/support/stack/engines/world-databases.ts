import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { openClickHouse, runStatement, serversOf } from '#core/clickhouse';
import { type Postgres, openPostgres, withMigrationLock } from '#base/postgres';
import { type Config, type PostgresAccess, createLog } from '#base/runtime';
import { setUpPostgres } from '../../../../packages/tooling/operations/setup/set-up.ts';
import { untilEndOfProcess } from '../../left-behind.ts';

/** What many worlds share has another name with other migrations, because a stack outlives the runs of single tests. */
const MIGRATIONS = hashOf('infra/migrations/postgres');
/** The ClickHouse database of all worlds that count nothing. It stays empty. */
export const UNCOUNTED = `test_uncounted_${hashOf('infra/migrations/clickhouse')}`;

/** Longest wait for an answer to what a test asks, and until everything is counted: a busy machine is no failure. */
export const PATIENCE_MS = 120_000;

const log = createLog('test', 'fatal');

/** Creates an empty database. */
export async function createDatabase(server: PostgresAccess, name: string): Promise<void> {
  await poolOf(server).query(`create database ${name}`);
}

/**
 * Creates a database as `flagmeter migrate` leaves it. It copies one with the same tokens, because migrations and tokens cost
 * five times as much.
 */
export function copyDatabase(server: PostgresAccess, name: string, config: Config): Promise<void> {
  const { initialTokens, retention } = config;
  const own = createHash('sha256')
    .update(JSON.stringify([initialTokens, retention]))
    .digest('hex');
  const fill = (url: string): Promise<void> => {
    const postgres = { ...config.postgres, url };
    const postgresOwner = { ...config.postgresOwner, url };
    return setUpPostgres({ ...config, postgres, postgresOwner }, log);
  };
  return copyTemplate(server, name, { template: `test_template_${MIGRATIONS}_${own.slice(0, 16)}`, fill });
}

type Template = {
  /** The name of a database. */
  readonly template: string;
  /** Fills it, if it does not exist yet. */
  readonly fill: (url: string) => Promise<void>;
};

/** Creates a database as a copy of another one. */
export async function copyTemplate(
  server: PostgresAccess,
  name: string,
  { template, fill }: Template,
): Promise<void> {
  const db = poolOf(server);
  if (!(await exists(db, template)))
    await withMigrationLock({ access: server, log }, async () => {
      if (!(await exists(db, template))) await createTemplate(server, db, { template, fill });
    });
  await db.query(`create database ${name} template ${template} ${await copyStrategy(db)}`);
}

/** Postgres 15 and later log each page by default, which takes twice the CPU. */
async function copyStrategy(db: Postgres): Promise<string> {
  const { rows } = await db.query<{ version: number }>(
    `select current_setting('server_version_num')::int as version`,
  );
  return (rows[0]?.version ?? 0) >= 150_000 ? 'strategy file_copy' : '';
}

/** It gets its name at the end, because Postgres copies no database that somebody uses. */
async function createTemplate(
  server: PostgresAccess,
  db: Postgres,
  { template, fill }: Template,
): Promise<void> {
  const unfinished = `${template}_unfinished`;
  await db.query(`drop database if exists ${unfinished}`);
  await db.query(`create database ${unfinished}`);
  await fill(addressOf(server.url, unfinished));
  await db.query(`alter database ${unfinished} rename to ${template}`);
}

async function exists(db: Postgres, name: string): Promise<boolean> {
  const { rowCount } = await db.query('select from pg_database where datname = $1', [name]);
  return rowCount === 1;
}

/** The same server with another database. */
export function addressOf(url: string, database: string): string {
  const own = new URL(url);
  own.pathname = `/${database}`;
  return own.toString();
}

/** Without force, which would need the right to end an autovacuum worker. Waits five seconds for open connections. */
export async function dropDatabase(server: PostgresAccess, name: string): Promise<void> {
  await poolOf(server).query(`drop database if exists ${name}`);
}

const pools = new Map<string, Postgres>();

/**
 * One connection for all databases that this process creates and drops on a server. It is to the database that every server
 * has, because nobody can drop a database to which somebody is connected.
 */
function poolOf(server: PostgresAccess): Postgres {
  const url = addressOf(server.url, 'postgres');
  const known = pools.get(url);
  if (known !== undefined) return known;
  const pool = openPostgres({
    ...server,
    url,
    maxConnections: 1,
    log,
    connectTimeoutMs: PATIENCE_MS,
    statementTimeoutMs: PATIENCE_MS,
  });
  pools.set(url, pool);
  untilEndOfProcess({ dispose: () => pool.end() });
  return pool;
}

/** On each server, with the database of its shard. */
export async function dropClickHouse({ clickhouse }: Config, name: string): Promise<void> {
  if (clickhouse.database === UNCOUNTED) return;
  const servers = clickhouse.url.split(';').length === 1 ? [clickhouse] : serversOf(clickhouse);
  for (const server of servers) {
    const db = openClickHouse({ ...server, shard: undefined, database: 'default', timeoutMs: PATIENCE_MS });
    for (const database of new Set([name, server.database]))
      await runStatement(db, `drop database if exists ${database} sync`);
    await db.close();
  }
}

/** Of the files in a folder whose names end so. */
export function hashOf(folder: string, ending = '.sql'): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith(ending),
  );
  for (const file of files.sort()) hash.update(readFileSync(`${folder}/${file}`));
  return hash.digest('hex').slice(0, 16);
}
