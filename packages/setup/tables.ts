import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrateClickHouse, openClickHouse, replicasOf } from '#clickhouse';
import { type Config, type Log, projectRoot } from '#runtime';

export const MIGRATIONS = join(projectRoot(import.meta.dirname), 'infra', 'migrations');

/** The names of all migrations of this version, without `.sql`, in their order. */
export async function migrationNames(engine: 'clickhouse' | 'postgres'): Promise<string[]> {
  const files = await readdir(join(MIGRATIONS, engine));
  return files.flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -'.sql'.length)] : [])).sort();
}

/** Creates or updates only the tables and views of a ClickHouse database, on each replica that the configuration names. */
export async function setUpTables({ clickhouse }: Pick<Config, 'clickhouse'>, log: Log): Promise<void> {
  for (const replica of replicasOf(clickhouse)) await setUpServer(replica, log);
}

async function setUpServer(clickhouse: Config['clickhouse'], log: Log): Promise<void> {
  const server = openClickHouse({ ...clickhouse, database: 'default' });
  const db = openClickHouse(clickhouse);
  try {
    await migrateClickHouse(server, db, { ...clickhouse, directory: join(MIGRATIONS, 'clickhouse'), log });
  } finally {
    await server.close();
    await db.close();
  }
}
