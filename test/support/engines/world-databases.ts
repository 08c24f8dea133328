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
export async function copyDatabase(server: PostgresAccess, name: string): Promise<void> {
  await onServer(server, async (db) => {
    if (!(await exists(db, TEMPLATE))) await withMigrationLock(server, () => createTemplate(server, db));
    await db.query(`create database ${name} template ${TEMPLATE}`);
  });
}

/** It gets its name at the end, because Postgres copies no database that somebody uses. */
async function createTemplate(server: PostgresAccess, db: Postgres): Promise<void> {
  if (await exists(db, TEMPLATE)) return;
  const unfinished = `${TEMPLATE}_unfinished`;
  await db.query(`drop database if exists ${unfinished}`);
  await db.query(`create database ${unfinished}`);
  await migratePostgres({ ...server, url: addressOf(server.url, unfinished) }, MIGRATIONS, log);
  await db.query(`alter database ${unfinished} rename to ${TEMPLATE}`);
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

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.sql'),
  );
  for (const file of files.sort()) hash.update(readFileSync(`${folder}/${file}`));
  return hash.digest('hex').slice(0, 16);
}
