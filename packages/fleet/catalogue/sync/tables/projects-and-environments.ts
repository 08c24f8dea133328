import type { ClickHouse } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import type { CopiedTable } from '../copied-table.ts';
import { syncOf } from '../copy-table.ts';
import { secondsOf } from '../rows.ts';

type Row = { readonly size_bytes: number };

export const PROJECTS: CopiedTable<Row> = {
  name: 'projects',
  table: 'projects',
  copies: 'project_copies',
  identity: { id: 'text' },
  columns: `
    t.id, t.name, t.archived_at is not null as archived, ${secondsOf('t.created_at')} as created_at, 600 as size_bytes`,
  toCopy: ({ size_bytes: _, ...copy }) => copy,
};

export const ENVIRONMENTS: CopiedTable<Row> = {
  name: 'environments',
  table: 'environments',
  copies: 'environment_copies',
  identity: { name: 'text' },
  columns: `
    t.name, t.type, t.enabled, t.sort_order, ${secondsOf('t.created_at')} as created_at, 600 as size_bytes`,
  toCopy: ({ size_bytes: _, ...copy }) => copy,
};

export async function syncProjectsAndEnvironments(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  for (const table of [PROJECTS, ENVIRONMENTS]) await syncOf(table)(db, clickhouse);
}
