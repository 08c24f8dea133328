import { type ClickHouse, readUsage } from '#core/clickhouse';
import { type KeyKind, cutPage, decodeCursor } from '../../../http/requests/cursor.ts';
import type { Page, PageQuery } from './page.ts';

/** A column that orders a list. The last key of a sort is unique together with those before it. */
type Key<Row> = { readonly column: keyof Row & string; readonly kind: KeyKind };

export type UsagePage<Row> = {
  readonly query: PageQuery;
  readonly sorts: Readonly<Record<string, readonly Key<Row>[]>>;
  /** The rows, without order. Its columns are those of `Row`. */
  readonly select: string;
  readonly parameters: Readonly<Record<string, unknown>>;
};

/** Numbers of cursors have at most 16 digits, so larger counts are equal in an order. */
export const MAX_ORDERED_COUNT = 10n ** 15n;

/** Reads a page of rows of ClickHouse after the cursor. Numbers are UInt64, and no part of the statement comes from outside. */
export async function readUsagePage<Row extends object>(
  clickhouse: ClickHouse,
  { query, sorts, select, parameters }: UsagePage<Row>,
): Promise<Page<Row>> {
  const { sort, limit, cursor } = query;
  const keys = sorts[sort.replace(/^-/, '')] ?? [];
  const kinds = keys.map(({ kind }) => kind);
  const position = cursor === undefined ? [] : decodeCursor(cursor, sort, kinds);
  const [comparison, direction] = sort.startsWith('-') ? ['<', 'desc'] : ['>', ''];
  const columns = keys.map(({ column }) => column);
  const values = kinds.map((kind, index) => `{key${index}:${kind === 'text' ? 'String' : 'UInt64'}}`);
  const rows = await readUsage<Row>(
    clickhouse,
    `select *
     from (${select})
     ${cursor === undefined ? '' : `where (${columns.join(', ')}) ${comparison} (${values.join(', ')})`}
     order by ${columns.map((column) => `${column} ${direction}`).join(', ')}
     limit {rows:UInt32}`,
    {
      ...parameters,
      ...Object.fromEntries(position.map((value, index) => [`key${index}`, value])),
      rows: limit + 1,
    },
  );
  return cutPage(rows, query, (row) => columns.map((column) => String(row[column])));
}
