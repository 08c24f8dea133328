import type { DayAccount, PartitionAccount } from '#domain';
import { type ClickHouse, readRows } from './clickhouse.ts';

/** Days that both `blocks` and the hourly tables still hold completely. */
export const COMPARED_DAYS = 88;

export type StoredAccount = {
  readonly partitions: readonly Omit<PartitionAccount, 'inFlight'>[];
  readonly days: readonly DayAccount[];
};

/** Reads the books of a topic: what its blocks say, and what the usage tables hold. */
export async function readAccount(db: ClickHouse, topic: string): Promise<StoredAccount> {
  const [partitions, ...days] = await Promise.all([
    readPartitions(db, topic),
    ...DAY_TABLES.map((comparison) => readDays(db, comparison)),
  ]);
  return { partitions, days: days.flat() };
}

async function readPartitions(db: ClickHouse, topic: string): Promise<StoredAccount['partitions']> {
  type Row = Record<string, string> & { epoch: number; partition: number };
  const rows = await readRows<Row>(
    db,
    `select
       epoch,
       partition,
       count() as blocks,
       min(b.from_offset) as from_offset,
       max(b.to_offset) as to_offset,
       countIf(b.from_offset > b.previous_to) as gaps,
       countIf(b.from_offset < b.previous_to) as overlaps,
       sum(b.received) as received,
       sum(b.counted) as counted,
       sum(b.refused) as refused,
       sum(b.duplicate) as duplicate,
       sum(b.dead) as dead
     from (
       select *, lagInFrame(to_offset, 1, from_offset) over (
         partition by epoch, partition
         order by from_offset, to_offset
         rows between 1 preceding and current row
       ) as previous_to
       from blocks
       where topic = {topic:String}
     ) as b
     group by epoch, partition
     order by epoch, partition`,
    { topic },
  );
  return rows.map((row) => ({
    topic,
    epoch: row.epoch,
    partition: row.partition,
    blocks: Number(row['blocks']),
    from: BigInt(row['from_offset'] ?? 0),
    to: BigInt(row['to_offset'] ?? 0),
    gaps: Number(row['gaps']),
    overlaps: Number(row['overlaps']),
    received: Number(row['received']),
    counted: Number(row['counted']),
    refused: Number(row['refused']),
    duplicate: Number(row['duplicate']),
    dead: Number(row['dead']),
  }));
}

type DayComparison = {
  readonly table: DayAccount['table'];
  /** Expression for the day of a row. */
  readonly dayOfRow: string;
  readonly blockSums: string;
  readonly tableSums: string;
};

const USAGE = { blockSums: '[sum(day_yes), sum(day_no)]', tableSums: '[sum(yes), sum(no)]' };
const VARIANTS = { blockSums: '[sum(day_variants)]', tableSums: '[sum(count)]' };

const DAY_TABLES: readonly DayComparison[] = [
  { table: 'usage_hourly', dayOfRow: 'toDate(hour)', ...USAGE },
  { table: 'usage_daily', dayOfRow: 'day', ...USAGE },
  { table: 'variants_hourly', dayOfRow: 'toDate(hour)', ...VARIANTS },
  { table: 'variants_daily', dayOfRow: 'day', ...VARIANTS },
];

/** Identifiers and expressions come from the constants above only. */
async function readDays(db: ClickHouse, comparison: DayComparison): Promise<DayAccount[]> {
  const { table, dayOfRow, blockSums, tableSums } = comparison;
  const rows = await readRows<{ day: string; expected: string[]; stored: string[] }>(
    db,
    `select toString(the_day) as day, sumForEach(e) as expected, sumForEach(s) as stored
     from (
       select day as the_day, ${blockSums} as e, emptyArrayUInt64() as s
       from blocks
       array join days as day, day_yes, day_no, day_variants
       group by the_day
       union all
       select ${dayOfRow} as the_day, emptyArrayUInt64() as e, ${tableSums} as s
       from ${table}
       group by the_day
     )
     where the_day > today() - ${COMPARED_DAYS}
     group by the_day
     order by the_day`,
  );
  return rows.map(({ day, expected, stored }) => ({
    day,
    table,
    expected: padded(expected, stored.length),
    stored: padded(stored, expected.length),
  }));
}

/** A side without rows has no sums: zeros. */
function padded(sums: readonly string[], length: number): bigint[] {
  const zeros = Array.from({ length: Math.max(0, length - sums.length) }, () => 0n);
  return [...sums.map(BigInt), ...zeros];
}
