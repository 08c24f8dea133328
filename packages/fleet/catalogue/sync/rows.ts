import type { ClickHouse } from '#core/clickhouse';
import type { Pages } from '#base/postgres';

/** Limits the time to the range of a DateTime, because one row that ClickHouse rejects would stop the sync. */
export function secondsOf(column: string): string {
  return `least(greatest(floor(extract(epoch from ${column})), 0), 4294967295)::float8`;
}

/** The time as text for a DateTime64, within the range of both engines. */
export function textOfTime(column: string): string {
  return `to_char(least(greatest(${column}, '1970-01-01Z'), '2100-01-01Z') at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')`;
}

export async function insertRows(
  clickhouse: ClickHouse,
  table: string,
  values: readonly object[],
): Promise<void> {
  if (values.length === 0) return;
  await clickhouse.insert({
    table,
    values,
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
}

const ROWS_PER_INSERT = 10_000;
const BYTES_PER_INSERT = 4 * 1024 * 1024;

/** Inserts the rows of all pages. It gathers small pages, because each INSERT creates a part, and holds few megabytes. */
export async function insertPages<Row extends { readonly size_bytes: number }>(
  clickhouse: ClickHouse,
  { table, pages }: { readonly table: string; readonly pages: Pages<Row> },
  toValue: (row: Row) => object,
): Promise<void> {
  let values: object[] = [];
  let bytes = 0;
  for await (const page of pages) {
    for (const row of page) {
      values.push(toValue(row));
      bytes += row.size_bytes;
    }
    if (values.length < ROWS_PER_INSERT && bytes < BYTES_PER_INSERT) continue;
    await insertRows(clickhouse, table, values);
    [values, bytes] = [[], 0];
  }
  await insertRows(clickhouse, table, values);
}
