import { type Part, type Path, withValue } from './shapes.ts';

/** How a stranger makes one dimension of a body as large as it may be. */
export type Growth = {
  readonly name: string;
  /** An honest body that one dimension makes about so many bytes long in JSON. */
  readonly grow: (bytes: number) => unknown;
  /** Whether only JSON can say it: see `rawJson`. */
  readonly isRaw?: boolean;
  /** Whether one text is shared by many things: of all growths, the one that costs most if each of them handles the text. */
  readonly isShared?: boolean;
  /** Whether it is left to the night. */
  readonly isRare?: boolean;
};

/**
 * The growths of an honest body: the length of each text and number, the number of items of each list and map (equal, different and
 * minimal ones), unknown members, nesting, and each text beside each list of things that share it.
 */
export function growthsOf(body: unknown, parts: readonly Part[]): Growth[] {
  return [...parts.flatMap((part) => growthsOfPart(body, part)), ...sharedTexts(body, parts)];
}

function growthsOfPart(body: unknown, part: Part): Growth[] {
  const { path, kind, value, item, max = Infinity } = part;
  const place = path.join('.') || 'body';
  const growth = (
    what: string,
    valueOf: (bytes: number) => unknown,
    kindOfGrowth: Pick<Growth, 'isRaw' | 'isRare'> = {},
  ): Growth => ({
    name: `${place}: ${what}`,
    grow: (bytes) => withValue(body, path, valueOf(bytes)),
    ...kindOfGrowth,
  });
  // Only these bodies get beyond the schema.
  const allowed = (create: (most: number) => Growth): Growth[] => (max === Infinity ? [] : [create(max)]);
  if (kind === 'text')
    return [
      growth('length', (bytes) => textOf(value, bytes)),
      ...allowed((most) =>
        growth('the longest that is allowed', (bytes) => textOf(value, bytes).slice(0, most)),
      ),
      growth('two bytes a character', (n) => 'ä'.repeat(n / 2), { isRare: true }),
    ];
  if (kind === 'number')
    return [growth('digits', (bytes) => raw('digits', bytes), { isRaw: true, isRare: true })];
  if (kind === 'list')
    return [
      growth('equal items', (bytes) => manyOf(bytes, item, () => item)),
      growth('different items', (bytes) => manyDifferent(bytes, item, path)),
      ...allowed((most) =>
        growth('as many items as are allowed', (bytes) => manyDifferent(bytes, item, path).slice(0, most)),
      ),
      growth('minimal items', (bytes) => manyOf(bytes, minimal(item), () => minimal(item))),
    ];
  const members = (bytes: number, one: unknown) => ({
    ...(kind === 'object' ? (value as object) : {}),
    ...Object.fromEntries(manyOf(bytes, [one, 'member-000000'], (index) => [`member-${index}`, one])),
  });
  return [
    growth('members', (bytes) => members(bytes, kind === 'map' ? item : 0)),
    growth('numbered members', (bytes) => numberedMembers(bytes, minimal(item)), { isRare: true }),
    growth('nesting', (bytes) => ({ ...(value as object), nested: raw('nesting', bytes) }), {
      isRaw: true,
      isRare: path.length > 2,
    }),
  ];
}

/** V8 sorts such members, and keeps them apart from others. */
function numberedMembers(bytes: number, one: unknown): object {
  return Object.fromEntries(manyOf(bytes, [one, '0000000'], (index) => [String(index * 7919), one]));
}

/** A text that many things have in common, and which is half of the body. */
function sharedTexts(body: unknown, parts: readonly Part[]): Growth[] {
  const texts = parts.filter(({ kind }) => kind === 'text');
  const lists = parts.filter(({ kind }) => kind === 'list' || kind === 'map');
  return lists.flatMap((list) => {
    const itemsOf = rememberLatest((bytes) => itemsThatShare(list, bytes));
    return texts
      .filter((text) => !isWithin(text.path, list.path))
      .map((text) => ({
        isShared: true,
        // A list in a value is skipped as a whole, what stands elsewhere belongs to no item, and one key is like the next.
        isRare:
          list.path.includes('arrayValue') ||
          !isWithin(list.path, ownerOf(text.path)) ||
          isLaterKey(text.path),
        name: `${text.path.join('.')}: shared by ${list.path.join('.')}`,
        grow: (bytes: number) =>
          withValue(withValue(body, list.path, itemsOf(bytes / 2)), text.path, textOf(text.value, bytes / 2)),
      }));
  });
}

/** The item of a list that a text describes, or the body. An attribute describes what has it. */
function ownerOf(path: Path): Path {
  const attributes = path.indexOf('attributes');
  const known = attributes === -1 ? path : path.slice(0, attributes);
  return known.slice(0, known.findLastIndex((step) => typeof step === 'number') + 1);
}

function isLaterKey(path: Path): boolean {
  const [list, index, member] = path.slice(-3);
  return list === 'attributes' && index !== 0 && member === 'key';
}

function itemsThatShare({ kind, item, path }: Part, bytes: number): unknown {
  const items = manyDifferent(bytes, item, path);
  return kind === 'list' ? items : Object.fromEntries(items.map((one, index) => [index, one]));
}

/** The same for each length, because to make it for each text would be the dearest part of the attack. */
function rememberLatest(create: (bytes: number) => unknown): (bytes: number) => unknown {
  let latest: { readonly bytes: number; readonly items: unknown } | undefined;
  return (bytes) => {
    if (latest?.bytes !== bytes) latest = { bytes, items: create(bytes) };
    return latest.items;
  };
}

function isWithin(path: Path, outer: Path): boolean {
  return outer.every((step, index) => step === path[index]);
}

/** It begins as it was, because the beginning may decide what a body is. */
function textOf(value: unknown, bytes: number): string {
  return `${String(value)}${'x'.repeat(bytes)}`;
}

function manyOf<T>(bytes: number, item: unknown, create: (index: number) => T): T[] {
  return Array.from({ length: countOf(bytes, item) }, (_, index) => create(index));
}

function countOf(bytes: number, item: unknown): number {
  return Math.max(1, Math.floor(bytes / (JSON.stringify(item).length + 4)));
}

/** What decides whether an item counts at all. */
const KEPT = new Set(['environment', 'type', 'key', 'le']);
/** Where the JSON of an item holds its number. */
const NUMBER = '#number#';

/** Items with different texts, made from the JSON of one because that takes a third of the time. Those of an attribute itself differ in all. */
function manyDifferent(bytes: number, item: unknown, path: Path): unknown[] {
  const keepsKeys = path.at(-1) !== 'attributes';
  const parts = JSON.stringify(item, (name, value: unknown) => {
    const isKept = typeof value !== 'string' || (keepsKeys && KEPT.has(name)) || isTime(value);
    return isKept ? value : value + NUMBER;
  }).split(NUMBER);
  const items = manyOf(bytes, item, (index) => parts.join(String(index)));
  return JSON.parse(`[${items.join(',')}]`) as unknown[];
}

function isTime(text: string): boolean {
  return /^\d{4}-|^\d{19}$/.test(text);
}

function minimal(item: unknown): unknown {
  if (typeof item === 'string') return '';
  if (Array.isArray(item)) return [];
  return typeof item === 'object' && item !== null ? {} : 0;
}

const RAW = /"raw (digits|nesting) (\d+)"/g;

function raw(what: 'digits' | 'nesting', bytes: number): string {
  return `raw ${what} ${Math.floor(bytes)}`;
}

/** The JSON of a grown body. Digits and nesting have no value that JSON.stringify could write. */
export function rawJson(body: unknown): string {
  return JSON.stringify(body).replace(RAW, (_, what: string, length: string) => {
    const half = Number(length) / 2;
    return what === 'digits' ? '9'.repeat(Number(length)) : `${'['.repeat(half)}${']'.repeat(half)}`;
  });
}
