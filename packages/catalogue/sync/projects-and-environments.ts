import { type ClickHouse, readRows } from '#clickhouse';
import type { Postgres } from '#postgres';
import { insertRows, secondsOf } from './rows.ts';

/** A small table, which is compared whole. The first column is the key. */
type Small = { readonly table: string; readonly copies: string; readonly columns: readonly string[] };

const PROJECTS: Small = {
  table: `(select id, name, archived_at is not null as archived, ${secondsOf('created_at')} as created_at from projects) as p`,
  copies: 'project_copies',
  columns: ['id', 'name', 'archived', 'created_at'],
};

const ENVIRONMENTS: Small = {
  table: `(select name, type, enabled, sort_order, ${secondsOf('created_at')} as created_at from environments) as e`,
  copies: 'environment_copies',
  columns: ['name', 'type', 'enabled', 'sort_order', 'created_at'],
};

/** Copies the changes of projects and environments, including deletions. */
export async function syncProjectsAndEnvironments(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  for (const small of [PROJECTS, ENVIRONMENTS]) await copySmall(db, clickhouse, small);
}

type Row = Readonly<Record<string, unknown>>;

async function copySmall(db: Postgres, clickhouse: ClickHouse, { table, copies, columns }: Small) {
  const stored = await readRows<Row>(
    clickhouse,
    `select ${columns.map((name) => (name === 'created_at' ? 'toUnixTimestamp(created_at) as created_at' : name)).join(', ')}
     from ${copies} final`,
  );
  const { rows } = await db.query<Row>(`select ${columns.join(', ')} from ${table}`);
  const textOf = (row: Row) => JSON.stringify(columns.map((name) => row[name]));
  const [key = ''] = columns;
  const known = new Set(stored.map(textOf));
  const existing = new Set(rows.map((row) => row[key]));
  await insertRows(clickhouse, copies, [
    ...rows.filter((row) => !known.has(textOf(row))).map((row) => ({ ...row, is_gone: 0 })),
    ...stored.filter((row) => !existing.has(row[key])).map((row) => ({ ...row, is_gone: 1 })),
  ]);
}
