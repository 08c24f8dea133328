import { PAGE_BYTES, type Postgres, pageOf } from '#base/postgres';
import type { Caller, Visible } from '#base/tokens';
import { type KeyKind, decodeCursor, encodeCursor } from '../../../http/requests/cursor.ts';

/** A column that orders a list. The last key of a sort is unique, so that no two items have the same position. */
export type Key = {
  /** The name of the column in the result. */
  readonly column: string;
  /** The same column in a condition. */
  readonly sql: string;
  readonly kind: KeyKind;
};

export type Listing<Row, Item> = {
  /** A SELECT without conditions. Its result has the columns of the keys, and `size_bytes`. */
  readonly select: string;
  /** The keys of each sort. An index must carry each of them. */
  readonly sorts: Readonly<Record<string, readonly Key[]>>;
  readonly toItem: (row: Row) => Item;
};

export type PageQuery = {
  /** The name of a sort; after a minus, in descending order. */
  readonly sort: string;
  readonly limit: number;
  readonly cursor?: string;
};

/** `nextCursor` is null on the last page. */
export type Page<Item> = { readonly items: Item[]; readonly nextCursor: string | null };

/** The caller, and the projects that they may see. */
export type Seen = { readonly caller: Caller; readonly visible: Visible };

/** Conditions with the values of their parameters, in the order of their numbers. */
export type Conditions = {
  readonly values: unknown[];
  /** Adds a value and returns its parameter. */
  readonly put: (value: unknown) => string;
  /** Adds a condition. No part of it comes from outside. */
  readonly where: (condition: string) => void;
  readonly text: () => string;
};

export function createConditions(): Conditions {
  const values: unknown[] = [];
  const conditions: string[] = [];
  return {
    values,
    put: (value) => `$${values.push(value)}`,
    where: (condition) => void conditions.push(condition),
    text: () => (conditions.length === 0 ? '' : `where ${conditions.join('\n and ')}`),
  };
}

/**
 * Reads the items after the cursor (keyset paging), so that each item that exists during the whole paging comes once, whatever
 * is inserted meanwhile. A page ends after `limit` items or 128 KiB.
 */
export async function readPage<Row extends { size_bytes: number }, Item>(
  db: Postgres,
  { select, sorts, toItem }: Listing<Row, Item>,
  { query: { sort, limit, cursor }, conditions }: { query: PageQuery; conditions: Conditions },
): Promise<Page<Item>> {
  const isDescending = sort.startsWith('-');
  const keys = sorts[isDescending ? sort.slice(1) : sort] ?? [];
  if (cursor !== undefined) {
    const values = decodeCursor(
      cursor,
      sort,
      keys.map(({ kind }) => kind),
    );
    const parameters = keys.map(({ kind }, index) => parameterOf(kind, conditions.put(values[index])));
    const columns = keys.map(({ sql }) => sql).join(', ');
    conditions.where(`(${columns}) ${isDescending ? '<' : '>'} (${parameters.join(', ')})`);
  }
  const order = keys.map(({ column }) => `${column}${isDescending ? ' desc' : ''}`).join(', ');
  const page = pageOf({ from: `${select} ${conditions.text()}`, order, maxRows: limit + 1 });
  const positions = keys.map(({ kind, column }) => textOf(kind, column));
  const { rows } = await db.query<Row & { position: string[] }>(
    `select *, array[${positions.join(', ')}] as position from (${page}) as positioned order by ${order}`,
    conditions.values,
  );
  const listed = rows.slice(0, limit);
  const bytes = listed.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  const last = rows.length > limit || bytes >= PAGE_BYTES ? listed.at(-1) : undefined;
  return {
    items: listed.map(toItem),
    nextCursor: last === undefined ? null : encodeCursor(sort, last.position),
  };
}

function textOf(kind: KeyKind, column: string): string {
  return kind === 'time' ? `(extract(epoch from ${column}) * 1000000)::bigint::text` : `${column}::text`;
}

function parameterOf(kind: KeyKind, parameter: string): string {
  if (kind === 'time') return `timestamptz 'epoch' + ${parameter}::bigint * interval '1 microsecond'`;
  return `${parameter}::${kind === 'number' ? 'bigint' : 'text'}`;
}

/** More words are one text, because each reads all columns. */
const MAX_WORDS = 10;
/** Indexes of pg_trgm find no shorter words. */
const MIN_INDEXED = 3;

/** Conditions for columns that contain each word of `search`, in any order and case. */
export function addSearch({ put, where }: Conditions, columns: readonly string[], search: string): void {
  for (const word of wordsOf(search)) {
    const pattern = put(`%${word.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`);
    where(`(${columns.map((column) => `lower(${column}) like lower(${pattern})`).join(' or ')})`);
  }
}

function wordsOf(search: string): readonly string[] {
  const text = search.trim();
  const words = [...new Set(text.split(/\s+/))];
  return words.length <= MAX_WORDS && words.some(({ length }) => length >= MIN_INDEXED) ? words : [text];
}
