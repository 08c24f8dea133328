import { type ClickHouse, quoteIdentifier, readRows, retentionRules, runStatement } from '#core/clickhouse';
import type { Config } from '#base/runtime';

/** Bytes on disk of a table, a column or a projection. */
export type Size = {
  readonly table: string;
  /** Empty for all of the table. */
  readonly part: string;
  readonly rows: number;
  readonly bytes: number;
  /** For as long as the table keeps its rows. */
  readonly keptBytes: number;
};

const DAYS_PER_MONTH = 365.25 / 12;

/** As ClickHouse does it in time by itself. Only merged parts have all of their projections. */
export async function mergeAll(db: ClickHouse): Promise<void> {
  const tables = await readRows<{ name: string }>(
    db,
    `select name from system.tables where database = currentDatabase() and engine like '%MergeTree'`,
  );
  for (const { name } of tables) await runStatement(db, `optimize table ${quoteIdentifier(name)} final`);
}

/** The largest first. `days`: the time that is generated. */
export async function readSizes(
  db: ClickHouse,
  retention: Config['retention'],
  days: number,
): Promise<Size[]> {
  const keptDays = new Map(
    retentionRules(retention).map(({ table, unit, count }) => [
      table,
      unit === 'Month' ? count * DAYS_PER_MONTH : count,
    ]),
  );
  const rows = await readRows<{ of_table: string; part: string; stored_rows: string; bytes: string }>(
    db,
    `select table as of_table, '' as part, sum(rows) as stored_rows, sum(bytes_on_disk) as bytes
     from system.parts
     where active and database = currentDatabase()
     group by of_table
     union all
     select table as of_table, column as part, sum(rows) as stored_rows, sum(column_bytes_on_disk) as bytes
     from system.parts_columns
     where active and database = currentDatabase()
     group by of_table, part
     union all
     select table as of_table, concat('projection ', name) as part, sum(rows) as stored_rows, sum(bytes_on_disk) as bytes
     from system.projection_parts
     where active and database = currentDatabase()
     group by of_table, part`,
  );
  return rows
    .map(({ of_table: table, part, stored_rows, bytes }) => ({
      table,
      part,
      rows: Number(stored_rows),
      bytes: Number(bytes),
      // Tables without a rule keep one row for each key.
      keptBytes: (Number(bytes) * (keptDays.get(table) ?? days)) / days,
    }))
    .sort((a, b) => b.bytes - a.bytes);
}

/** Parts that are smaller are left out. */
const SHOWN_SHARE = 0.005;

export function describeSizes(sizes: readonly Size[]): string {
  const whole = sizes.filter(({ part }) => part === '').reduce((sum, { keptBytes }) => sum + keptBytes, 0);
  const shown = sizes.filter(({ keptBytes }) => keptBytes >= whole * SHOWN_SHARE);
  const lines = shown.map(({ table, part, rows, bytes, keptBytes }) =>
    ['', table, part, rows, (bytes / rows).toFixed(2), (keptBytes / 1e6).toFixed(1), ''].join(' | ').trim(),
  );
  return [
    '| table | column or projection | rows | bytes for a row | MB as long as kept |',
    '|---|---|---:|---:|---:|',
    ...lines,
    `| all | | | | ${(whole / 1e6).toFixed(1)} |`,
  ].join('\n');
}
