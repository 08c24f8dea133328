import { type ClickHouse, readRows } from '#clickhouse';
import { type Postgres, pageOf, readPages } from '#postgres';
import { insertPages } from './rows.ts';

/** A table whose rows get ascending ids and never change. */
export type AppendOnly<Row> = {
  readonly table: string;
  readonly copies: string;
  /** SQL: the columns of a row, with `size_bytes`. */
  readonly columns: string;
  /** SQL: the rows to copy. */
  readonly where: string;
  readonly toCopy: (row: Row) => object;
};

type Row = { readonly id: string; readonly size_bytes: number };

/** Ids are compared in groups of this size. A group with a new row is copied again. */
const IDS_PER_GROUP = 256n;

/**
 * Copies the new rows. A transaction becomes visible later than the ids of its rows, by up to an hour. So it compares the number
 * of rows in each group of ids that is newer than an hour, which costs little while nothing is new.
 */
export async function copyAppended<R extends Row>(
  db: Postgres,
  clickhouse: ClickHouse,
  { table, copies, columns, where, toCopy }: AppendOnly<R>,
): Promise<void> {
  const since = await copiedLongAgo(clickhouse, copies);
  const { rows: groups } = await db.query<Group>(
    `select (id / ${IDS_PER_GROUP})::text as ids, count(*)::int as rows
     from ${table}
     where id > $1
       and ${where}
     group by 1
     order by min(id)`,
    [since],
  );
  const copied = await readRows<Group>(
    clickhouse,
    `select toString(intDiv(id, ${IDS_PER_GROUP})) as ids, toUInt32(uniqExact(id)) as rows
     from ${copies}
     where id > {since:UInt64}
     group by ids`,
    { since },
  );
  const known = new Map(copied.map(({ ids, rows }) => [ids, rows]));
  const page = pageOf({
    from: `select ${columns} from ${table} where id > $1 and id < $2 and ${where}`,
    order: 'id',
  });
  for (const { from, to } of rangesOf(groups.filter(({ ids, rows }) => rows > (known.get(ids) ?? 0)))) {
    const pages = await readPages<R>(async (last) => {
      const { rows } = await db.query<R>(page, [last?.id ?? from - 1n, to]);
      return rows;
    });
    await insertPages(clickhouse, { table: copies, pages }, toCopy);
  }
}

type Group = { readonly ids: string; readonly rows: number };

/** The greatest id that was copied more than an hour ago. */
export async function copiedLongAgo(clickhouse: ClickHouse, copies: string): Promise<string> {
  const [row] = await readRows<{ id: string }>(
    clickhouse,
    `select toString(max(id)) as id from ${copies} where copied_at < now() - interval 1 hour`,
  );
  return row?.id ?? '0';
}

/** Ranges of ids [from, to); neighbouring groups become one range. */
function rangesOf(groups: readonly Group[]): { readonly from: bigint; readonly to: bigint }[] {
  const ranges: { from: bigint; to: bigint }[] = [];
  for (const { ids } of groups) {
    const from = BigInt(ids) * IDS_PER_GROUP;
    const to = from + IDS_PER_GROUP;
    const last = ranges.at(-1);
    if (last?.to === from) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}
