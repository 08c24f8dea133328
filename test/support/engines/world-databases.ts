import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { openClickHouse, runStatement, serversOf } from '#clickhouse';
import { type Postgres, migratePostgres, openPostgres, withMigrationLock } from '#postgres';
import { type Config, type PostgresAccess, createLog } from '#runtime';

const MIGRATIONS = 'infra/migrations/postgres';
/** Names of what many worlds use change with the migrations, because a stack outlives the runs of single tests. */
const TEMPLATE = `test_template_${hashOf(MIGRATIONS)}`;
/** The ClickHouse database of all worlds that count nothing. It stays empty. */
export const UNCOUNTED = `test_uncounted_${hashOf('infra/migrations/clickhouse')}`;

const log = createLog('test', 'fatal');

/** Creates an empty database. */
export function createDatabase(server: PostgresAccess, name: string): Promise<void> {
  return onServer(server, (db) => db.query(`create database ${name}`));
}

/** Creates a database with all migrations. It copies one that has them: the migrations cost three times as much. */
export function copyDatabase(server: PostgresAccess, name: string): Promise<void> {
  const fill = (url: string): Promise<void> => migratePostgres({ ...server, url }, MIGRATIONS, log);
  return copyTemplate(server, name, { template: TEMPLATE, fill });
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
  await onServer(server, async (db) => {
    if (!(await exists(db, template)))
      await withMigrationLock(server, async () => {
        if (!(await exists(db, template))) await createTemplate(server, db, { template, fill });
      });
    await db.query(`create database ${name} template ${template} ${await copyStrategy(db)}`);
  });
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
export function dropDatabase(server: PostgresAccess, name: string): Promise<void> {
  return onServer(server, (db) => db.query(`drop database if exists ${name}`));
}

async function onServer(access: PostgresAccess, work: (db: Postgres) => Promise<unknown>): Promise<void> {
  const server = openPostgres({ ...access, maxConnections: 1, log });
  try {
    await work(server);
  } finally {
    await server.end();
  }
}

/** On each server, with the database of its shard. */
export async function dropClickHouse({ clickhouse }: Config, name: string): Promise<void> {
  if (clickhouse.database === UNCOUNTED) return;
  const servers = clickhouse.url.split(';').length === 1 ? [clickhouse] : serversOf(clickhouse);
  for (const server of servers) {
    const db = openClickHouse({ ...server, shard: undefined, database: 'default' });
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
