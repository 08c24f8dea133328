import { type Denial, notValid } from '../../denial.ts';

/** How a value of a sort key is written in a cursor: texts and numbers as they are, times in microseconds since 1970. */
export type KeyKind = 'text' | 'time' | 'number';

const MAX_CURSOR_LENGTH = 4000;
const MAX_TEXT_LENGTH = 255;

/** The position after an item: the sort and the values of its keys. Opaque to callers, who must not build one. */
export function encodeCursor(sort: string, keys: readonly string[]): string {
  return Buffer.from(JSON.stringify([sort, ...keys])).toString('base64url');
}

/** A page of rows, and the cursor of the next one, null if this is the last. The caller reads one row more than the page has. */
export function cutPage<Row>(
  rows: readonly Row[],
  { limit, sort }: { readonly limit: number; readonly sort: string },
  positionOf: (last: Row) => readonly string[],
) {
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : encodeCursor(sort, positionOf(last)) };
}

/** The values of the keys. Throws if the cursor was not made by `encodeCursor` for this sort. */
export function decodeCursor(cursor: string, sort: string, kinds: readonly KeyKind[]): readonly string[] {
  if (cursor.length > MAX_CURSOR_LENGTH) throw ofAnotherList();
  const parts = parse(Buffer.from(cursor, 'base64url').toString());
  if (!Array.isArray(parts) || parts.length !== kinds.length + 1 || parts[0] !== sort) throw ofAnotherList();
  const keys: readonly unknown[] = parts.slice(1);
  if (keys.every(isText) && keys.every((key, index) => isOfKind(key, kinds[index]))) return keys;
  throw ofAnotherList();
}

function ofAnotherList(): Denial {
  return notValid('The cursor does not belong to this list and sort. Begin without a cursor.', [
    { path: '/cursor', message: 'does not belong to this list and sort' },
  ]);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Postgres must be able to convert the value, because the caller may have changed it. */
function isOfKind(value: string, kind: KeyKind | undefined): boolean {
  if (kind === 'text') return value.length <= MAX_TEXT_LENGTH && !/[\0\p{Cs}]/u.test(value);
  return /^(0|[1-9]\d{0,15})$/.test(value);
}
