import { type CopiedTable, copyTable } from '#fleet/catalogue';
import { type ClickHouse, readRows, runStatement } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';

type Column = {
  readonly name: string;
  readonly type: string;
  readonly hasDefault: boolean;
  readonly isBound: boolean;
  readonly isLastOfKey: boolean;
};

/** Columns of a table that a caller may write, from the catalogue of Postgres. `isBound`: keys and checks limit its values. */
async function columnsOf(db: Postgres, table: string): Promise<Column[]> {
  const { rows } = await db.query<Column>(
    `select
       a.attname as name,
       format_type(a.atttypid, null) as type,
       a.atthasdef as "hasDefault",
       exists (
         select from pg_constraint as c where c.conrelid = a.attrelid and a.attnum = any (c.conkey) and c.contype <> 'n'
       ) as "isBound",
       exists (
         select
         from pg_index as i
         where i.indrelid = a.attrelid and i.indisunique and i.indpred is null and i.indkey[i.indnkeyatts - 1] = a.attnum
       ) as "isLastOfKey"
     from pg_attribute as a
     where a.attrelid = $1::regclass
       and a.attnum > 0
       and not a.attisdropped
       and a.attidentity = ''
       and a.attgenerated = ''
     order by a.attnum`,
    [table],
  );
  return rows;
}

const isText = ({ type }: Column): boolean => type === 'text' || type === 'character varying';

/** A free text that the copy shows under the same name. */
async function shownColumn(
  db: Postgres,
  clickhouse: ClickHouse,
  { table, copies }: CopiedTable,
): Promise<string> {
  const shown = await readRows<{ name: string }>(
    clickhouse,
    'select name from system.columns where database = currentDatabase() and table = {copies:String}',
    { copies },
  );
  const names = new Set(shown.map(({ name }) => name));
  const column = (await columnsOf(db, table)).find(
    (one) => isText(one) && !one.isBound && names.has(one.name) && one.name !== 'type',
  );
  const other = (await columnsOf(db, table)).find(
    (one) => isText(one) && !one.isBound && names.has(one.name),
  );
  const found = column ?? other;
  if (found === undefined) throw new Error(`${copies} shows no text of ${table}`);
  return found.name;
}

/** Inserts a row like the first one, whose key and shown text end with `mark`. What has a default gets it. */
export async function addRow({ db, clickhouse }: Sides, table: CopiedTable, mark: string): Promise<void> {
  const columns = (await columnsOf(db, table.table)).filter(
    ({ type, hasDefault }) => !(hasDefault && (type === 'uuid' || type === 'timestamp with time zone')),
  );
  const shown = await shownColumn(db, clickhouse, table);
  const values = columns.map((one) =>
    isText(one) && (one.isLastOfKey || one.name === shown)
      ? `coalesce(${one.name}, '') || '-${mark}'`
      : one.name,
  );
  const { rowCount } = await db.query(
    `insert into ${table.table} (${columns.map(({ name }) => name).join(', ')})
     select ${values.join(', ')} from (select * from ${table.table} order by ctid limit 1) as first`,
  );
  if (rowCount !== 1) throw new Error(`no row of ${table.table}: the test needs one of each copied table`);
}

export async function changeRows({ db, clickhouse }: Sides, table: CopiedTable, mark: string): Promise<void> {
  const shown = await shownColumn(db, clickhouse, table);
  await db.query(`update ${table.table} set ${shown} = left(coalesce(${shown}, ''), 20) || '+${mark}'`);
}

/** Deletes the row that was added last. */
export async function deleteRow({ db, clickhouse }: Sides, table: CopiedTable, mark: string): Promise<void> {
  const shown = await shownColumn(db, clickhouse, table);
  await db.query(`delete from ${table.table} where ${shown} like $1`, [`%-${mark}%`]);
}

/** Lets all times of a table lie a day ahead, as if the clock had been. Triggers do not notice. */
export async function setAhead({ db }: Sides, { table }: CopiedTable): Promise<void> {
  const times = (await columnsOf(db, table)).filter(({ type }) => type === 'timestamp with time zone');
  const ahead = times.map(({ name }) => `${name} = ${name} + interval '1 day'`);
  await db.query(`
    begin;
    alter table ${table} disable trigger user;
    update ${table} set ${[...ahead, 'revision = gen_random_uuid()'].join(', ')};
    alter table ${table} enable trigger user;
    commit`);
}

type Sides = { readonly db: Postgres; readonly clickhouse: ClickHouse };

/** What the copy shows, and what a copy into an empty database shows. */
export async function readBoth(
  { db, clickhouse, empty }: Sides & { readonly empty: ClickHouse },
  table: CopiedTable,
): Promise<{ readonly shown: unknown; readonly expected: readonly unknown[] }> {
  await runStatement(empty, `truncate table ${table.copies}`);
  await copyTable({ db, clickhouse: empty }, table);
  const read = (from: ClickHouse) =>
    readRows(from, `select * except (copy, copied_at) from ${table.copies} final order by revision`);
  return { shown: await read(clickhouse), expected: await read(empty) };
}
