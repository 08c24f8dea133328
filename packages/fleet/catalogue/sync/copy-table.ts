import { type ClickHouse, readRows } from '#core/clickhouse';
import { type Postgres, pageOf, readPages } from '#base/postgres';
import { type Difference, type Extract, type RowKey, type Stores, findDifferences } from './compare.ts';
import type { CopiedTable, IdRange } from './copied-table.ts';
import { insertPages } from './rows.ts';

/** `newest`: of a table that is only appended, the newest rows, and older ones as long as they differ. */
export type Extent = 'all' | 'newest';

/** How many rows were copied, and how many copies were removed because Postgres does not have their rows. */
export type Copied = { readonly copied: number; readonly removed: number };

/**
 * Makes the copy of a table equal to what Postgres has. Several workers may do this at once: the next round corrects late writes. If Postgres
 * has lost appended rows, as after a restore, everything is compared.
 */
export async function copyTable(stores: Stores, table: CopiedTable, extent: Extent = 'all'): Promise<Copied> {
  const total = { copied: 0, removed: 0 };
  for await (const extract of extractsOf(stores.db, table)) {
    const { copied, removed } = await mend(stores, table, extract);
    total.copied += copied;
    total.removed += removed;
    const isAlike = copied + removed === 0 && extract?.range.to !== LAST_ID;
    if (extent === 'newest' && isAlike && total.removed === 0) break;
  }
  return total;
}

/** Rows that ClickHouse lacks, and copies that Postgres has lost. */
export type Counted = { readonly missing: number; readonly lost: number };

/** Compares a whole table and changes nothing. Only of appended rows can be said that they are lost. */
export async function countDifferences(stores: Stores, table: CopiedTable): Promise<Counted> {
  const total = { missing: 0, lost: 0 };
  for await (const extract of extractsOf(stores.db, table))
    for await (const { missing, extra } of findDifferences(stores, table, extract)) {
      total.missing += missing.length;
      total.lost += table.appended === undefined ? 0 : extra.length;
    }
  return total;
}

/** A function that copies the whole table. */
export function syncOf(table: CopiedTable): (db: Postgres, clickhouse: ClickHouse) => Promise<void> {
  return async (db, clickhouse) => {
    await copyTable({ db, clickhouse }, table);
  };
}

const LAST_ID = 2n ** 63n - 1n;
/** Each round reads so many rows. */
const NEWEST_IDS = 16_384n;
/** Bounds the time of a statement. */
const OLDER_IDS = 262_144n;

async function* extractsOf(db: Postgres, table: CopiedTable): AsyncGenerator<Extract> {
  if (table.appended === undefined) {
    yield undefined;
    return;
  }
  const since = await readDay(db);
  for (const range of rangesBefore(await readEnd(db, table))) yield { range, since };
}

/** First what Postgres never had or has lost, then the newest ids, then older ones. */
function* rangesBefore(end: bigint): Generator<IdRange> {
  yield { from: end, to: LAST_ID };
  let to = end;
  for (let size = NEWEST_IDS; to > 0n; size = OLDER_IDS) {
    const from = to > size ? to - size : 0n;
    yield { from, to };
    to = from;
  }
}

async function readEnd(db: Postgres, { table }: CopiedTable): Promise<bigint> {
  const { rows } = await db.query<{ id: string | null }>(`select max(id)::text as id from ${table}`);
  return BigInt(rows[0]?.id ?? -1) + 1n;
}

/** A day after the one up to which ClickHouse deletes rows. */
async function readDay(db: Postgres): Promise<string> {
  const { rows } = await db.query<{ day: string }>(
    `select to_char(now() at time zone 'UTC' - interval '25 months' + interval '1 day', 'YYYY-MM-DD') as day`,
  );
  return rows[0]?.day ?? '';
}

async function mend(stores: Stores, table: CopiedTable, extract: Extract): Promise<Copied> {
  const total = { copied: 0, removed: 0 };
  for await (const difference of findDifferences(stores, table, extract)) {
    const { copied, removed } = await mendRows(stores, table, difference);
    total.copied += copied;
    total.removed += removed;
  }
  return total;
}

async function mendRows(stores: Stores, table: CopiedTable, { missing, extra }: Difference): Promise<Copied> {
  if (missing.length + extra.length === 0) return { copied: 0, removed: 0 };
  const copy = await nextCopy(stores.clickhouse, table);
  let removed = 0;
  for (const some of chunksOf(extra)) removed += await removeGone(stores, table, { copies: some, copy });
  for (const some of chunksOf(missing)) await copyRows(stores, table, { rows: some, copy });
  return { copied: missing.length, removed };
}

/** Of the rows of a key, the one with the highest number counts: a time might be in the future. */
async function nextCopy(clickhouse: ClickHouse, { copies }: CopiedTable): Promise<string> {
  const [row] = await readRows<{ copy: string }>(
    clickhouse,
    `select toString(maxIf(copy, copy < ${FINAL_COPY}) + 1) as copy from ${copies}`,
  );
  return row?.copy ?? '1';
}

type Copying = { readonly rows: readonly RowKey[]; readonly copy: string };

async function copyRows(
  { db, clickhouse }: Stores,
  table: CopiedTable,
  { rows, copy }: Copying,
): Promise<void> {
  const { identity, columns, joins = '' } = table;
  const page = pageOf({
    from: `
      select wanted.place, t.revision, ${columns}
      from jsonb_to_recordset($1) as wanted (place integer, ${declared(identity)})
      join ${table.table} as t using (${Object.keys(identity).join(', ')})
      ${joins}
      where wanted.place > $2`,
    order: 'place',
  });
  const wanted = JSON.stringify(rows.map((row, place) => ({ place, ...row })));
  const pages = await readPages<PageRow>(async (last) => {
    const read = await db.query<PageRow>(page, [wanted, last?.place ?? -1]);
    return read.rows;
  });
  await insertPages(clickhouse, { table: table.copies, pages }, ({ place: _, ...row }) => ({
    ...table.toCopy(row as never), // the columns are those of the table
    revision: row.revision,
    copy,
  }));
}

type PageRow = { readonly place: number; readonly revision: string; readonly size_bytes: number };

type Removing = { readonly copies: readonly RowKey[]; readonly copy: string };

/** Marks copies whose rows do not exist any more. A row that has changed is copied instead. */
async function removeGone(
  { db, clickhouse }: Stores,
  table: CopiedTable,
  { copies, copy }: Removing,
): Promise<number> {
  const { identity, appended } = table;
  const isSame = Object.keys(identity).map((name) => `t.${name} = gone.${name}`);
  if (appended !== undefined) isSame.push('t.revision = gone.revision');
  const { rows } = await db.query<{ revision: string }>(
    `select gone.revision::text as revision
     from jsonb_to_recordset($1) as gone (revision uuid, ${declared(identity)})
     where not exists (select from ${table.table} as t where ${isSame.join(' and ')})`,
    [JSON.stringify(copies)],
  );
  if (rows.length === 0) return 0;
  const revisions = rows.map(({ revision }) => revision);
  await rewriteCopies(clickhouse, table, { as: `1 as is_gone, ${copy} as copy`, revisions });
  return rows.length;
}

/** The number of a copy that no other replaces, because Postgres has deleted the row on purpose. */
const FINAL_COPY = 2n ** 64n - 1n;

/** Makes copies the only ones: from now on Postgres may delete their rows. */
export function keepCopies(
  clickhouse: ClickHouse,
  table: CopiedTable,
  revisions: readonly string[],
): Promise<void> {
  return rewriteCopies(clickhouse, table, { as: `${FINAL_COPY} as copy`, revisions });
}

/**
 * Makes copies the only ones whose rows Postgres does not have: for an older ClickHouse that was restored beside a Postgres that has lost
 * nothing. What Postgres does not have there, it has deleted on purpose since.
 */
export async function keepDeleted(stores: Stores, table: CopiedTable): Promise<void> {
  for await (const extract of extractsOf(stores.db, table))
    for await (const { extra } of findDifferences(stores, table, extract))
      for (const some of chunksOf(extra.map(({ revision }) => revision)))
        await keepCopies(stores.clickhouse, table, some);
}

/** What holds for a copy that `keepCopies` has not made the only one. */
export const IS_NOT_KEPT = `max(copy) < ${FINAL_COPY}`;

type Rewriting = { readonly as: string; readonly revisions: readonly string[] };

/** Writes copies again with other values. The content of a row that is gone can be read without `final` until a merge. */
async function rewriteCopies(
  clickhouse: ClickHouse,
  { copies }: CopiedTable,
  { as, revisions }: Rewriting,
): Promise<void> {
  await clickhouse.command({
    query: `
      insert into ${copies}
      select * replace (${as}, now64(3) as copied_at)
      from ${copies} final
      where revision in {revisions:Array(UUID)}`,
    query_params: { revisions },
    clickhouse_settings: { async_insert: 0, wait_end_of_query: 1 },
  });
}

function declared(identity: CopiedTable['identity']): string {
  return Object.entries(identity)
    .map((pair) => pair.join(' '))
    .join(', ');
}

const ROWS_PER_STATEMENT = 1000;

function* chunksOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += ROWS_PER_STATEMENT)
    yield items.slice(from, from + ROWS_PER_STATEMENT);
}
