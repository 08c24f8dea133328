import { type ClickHouse, readRows } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import type { CopiedTable, IdRange } from './copied-table.ts';

export type Stores = { readonly db: Postgres; readonly clickhouse: ClickHouse };

/** The identity of a row, and its revision. */
export type RowKey = Readonly<Record<string, string | number>> & { readonly revision: string };

/** Rows that ClickHouse lacks, and copies that are not what Postgres has. */
export type Difference = { readonly missing: readonly RowKey[]; readonly extra: readonly RowKey[] };

/** What a comparison looks at: rows since a day (ISO date), by id. Undefined looks at all rows. */
export type Extract = { readonly range: IdRange; readonly since: string } | undefined;

const IDS_PER_PART = 4096;
const ROWS_AT_ONCE = 20_000;

type Part = { readonly part: string; readonly rows: number; readonly sum: string };

/**
 * Compares the revisions, some thousands at once. Both engines first add them up in parts, so that equal parts cost no traffic. A part of a
 * table whose rows change has the revisions with the same first digits.
 */
export async function* findDifferences(
  { db, clickhouse }: Stores,
  table: CopiedTable,
  extract: Extract,
): AsyncGenerator<Difference> {
  const ours = postgresSide(table, extract);
  const theirs = clickHouseSide(table, extract);
  const { rows: parts } = await db.query<Part>(ours.parts, [...ours.params]);
  const copied = await readRows<Part>(clickhouse, theirs.parts, theirs.params);
  for (const some of differingParts(parts, copied)) {
    const { rows } = await db.query<RowKey>(ours.keys, [...ours.params, some]);
    const copies = await readRows<RowKey>(clickhouse, theirs.keys, { ...theirs.params, parts: some });
    yield { missing: without(rows, copies), extra: without(copies, rows) };
  }
}

/** The names of parts that differ, in groups with a bounded number of rows. */
function differingParts(ours: readonly Part[], theirs: readonly Part[]): string[][] {
  const others = new Map(theirs.map((part) => [part.part, part]));
  const different = new Map<string, number>();
  for (const { part, rows, sum } of ours) {
    const other = others.get(part);
    others.delete(part);
    if (rows !== other?.rows || sum !== other.sum) different.set(part, Math.max(rows, other?.rows ?? 0));
  }
  for (const { part, rows } of others.values()) different.set(part, rows);
  const groups: string[][] = [];
  let left = 0;
  for (const [part, rows] of different) {
    if (rows > left || groups.length === 0) {
      groups.push([]);
      left = ROWS_AT_ONCE;
    }
    groups.at(-1)?.push(part);
    left -= rows;
  }
  return groups;
}

function without(rows: readonly RowKey[], others: readonly RowKey[]): RowKey[] {
  const known = new Set(others.map(({ revision }) => revision));
  return rows.filter(({ revision }) => !known.has(revision));
}

function postgresSide({ table, identity, appended }: CopiedTable, extract: Extract) {
  const part = extract === undefined ? 'left(t.revision::text, 2)' : `(t.id / ${IDS_PER_PART})::text`;
  const { range, since } = extract ?? {};
  const where =
    range === undefined || appended === undefined
      ? 'true'
      : `t.id >= $1 and t.id < $2 and t.${appended.time} >= $3::timestamp at time zone 'UTC' and ${appended.where}`;
  const params = range === undefined ? [] : [range.from.toString(), range.to.toString(), since];
  return {
    params,
    parts: `
      select ${part} as part, count(*)::int as rows, sum(('x' || right(t.revision::text, 10))::bit(40)::bigint)::text as sum
      from ${table} as t
      where ${where}
      group by 1`,
    keys: `
      select ${keyColumns(identity, (name) => `t.${name}`)}, t.revision::text as revision
      from ${table} as t
      where ${where}
        and ${part} = any ($${params.length + 1})`,
  };
}

function clickHouseSide({ copies, identity, appended }: CopiedTable, extract: Extract) {
  const { range, since } = extract ?? {};
  const part =
    range === undefined ? 'substring(toString(revision), 1, 2)' : `toString(intDiv(id, ${IDS_PER_PART}))`;
  const source =
    range === undefined || appended === undefined
      ? `${copies} final`
      : `(
          select id, revision
          from ${copies}
          where id >= {from:UInt64}
            and id < {to:UInt64}
            and ${appended.time} >= toDateTime64({since:String}, 3, 'UTC')
          group by id, revision
          having argMax(is_gone, copy) = 0 and ${appended.having}
        )`;
  return {
    params: range === undefined ? {} : { from: range.from.toString(), to: range.to.toString(), since },
    parts: `
      select ${part} as part, toUInt32(count()) as rows, toString(sum(${LAST_DIGITS})) as sum
      from ${source}
      group by part`,
    keys: `
      select ${keyColumns(identity, (name) => name)}, toString(revision) as revision
      from ${source}
      where ${part} in {parts:Array(String)}`,
  };
}

/** As a number of 40 bits, so that a sum of many fits into 64. */
const LAST_DIGITS = `reinterpretAsUInt64(reverse(unhex(right(toString(revision), 10))))`;

function keyColumns(identity: CopiedTable['identity'], place: (name: string) => string): string {
  return Object.keys(identity)
    .map((name) => `${place(name)} as ${name}`)
    .join(', ');
}
