import { isDeepStrictEqual } from 'node:util';
import { cleanTag, cleanText } from '#base/tokens';
import type { FeatureUpdate, exportedFeatureSchema } from './schema.ts';

/** What people write about a feature: the members that POST may set and PUT may change. */
export type Content = Required<FeatureUpdate>;

type Column<T> = {
  /** The column of the table `features`, which an export document has too. */
  readonly column: keyof (typeof exportedFeatureSchema)['properties'];
  /** The value of a new feature that leaves the member out. */
  readonly initial: T;
  /**
   * Long texts, lists and documents count towards the size of a page. The order of a list means nothing, so it is stored sorted.
   * A document is stored as JSON.
   */
  readonly kind: 'short' | 'long text' | 'list' | 'document';
};

/**
 * The column of each member. Insert, select, lock, update, event and answer are derived from this table, so a member that is
 * forgotten here does not compile.
 */
const COLUMNS: { readonly [Name in keyof Content]: Column<Content[Name]> } = {
  type: { column: 'type', initial: 'release', kind: 'short' },
  description: { column: 'description', initial: null, kind: 'long text' },
  stale: { column: 'stale', initial: false, kind: 'short' },
  owner: { column: 'owner', initial: null, kind: 'short' },
  tags: { column: 'tags', initial: [], kind: 'list' },
  guards: { column: 'guards', initial: [], kind: 'document' },
  impressionData: { column: 'impression_data', initial: false, kind: 'short' },
};

const NAMES = Object.keys(COLUMNS) as readonly (keyof Content)[]; // the keys of the literal

/** The columns, in the order of `valuesOf`. */
export const CONTENT_COLUMNS: readonly string[] = NAMES.map((name) => COLUMNS[name].column);

export function valuesOf(content: Content): unknown[] {
  return NAMES.map((name) =>
    COLUMNS[name].kind === 'document' ? JSON.stringify(content[name]) : content[name],
  );
}

/** The content of a feature `f` as SQL: one JSON object with the names of the API. */
export const SELECT_CONTENT = `json_build_object(${NAMES.map((name) => `'${name}', f.${COLUMNS[name].column}`).join(', ')})`;

/** The bytes of its long members, as SQL. */
export const SIZE_OF_CONTENT = NAMES.flatMap((name) => {
  const { column, kind } = COLUMNS[name];
  if (kind === 'short') return [];
  if (kind === 'document') return `octet_length(f.${column}::text)`;
  return kind === 'list'
    ? `octet_length(array_to_string(f.${column}, ','))`
    : `coalesce(octet_length(f.${column}), 0)`;
}).join(' + ');

export function contentOfNew(given: FeatureUpdate): Content {
  return contentFrom((name) => given[name] ?? COLUMNS[name].initial);
}

/** The content after an update: members that are absent stay as they are. */
export function updatedContent(before: Content, update: FeatureUpdate): Content {
  return contentFrom((name) => (update[name] === undefined ? before[name] : update[name]));
}

function contentFrom(valueOf: (name: keyof Content) => unknown): Content {
  const entries = NAMES.map((name) => {
    const value = valueOf(name);
    const isList = COLUMNS[name].kind === 'list' && Array.isArray(value);
    if (name === 'owner' && typeof value === 'string') return [name, cleanText(value)];
    return [name, isList ? [...new Set(value.map(String).map(cleanTag))].toSorted() : value];
  });
  return Object.fromEntries(entries) as Content; // one entry for each name
}

/** The members that differ. */
export function changedMembers(before: Content, after: Content): (keyof Content)[] {
  return NAMES.filter((name) => !isDeepStrictEqual(before[name], after[name]));
}
