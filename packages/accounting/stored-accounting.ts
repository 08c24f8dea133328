import { type ClickHouse, readRows } from '#clickhouse';
import { COMPARED_DAYS, HISTORY_TOPIC, SAMPLE_TOPIC } from '#counting';
import type { DayAccounting, PartitionAccounting } from './differences.ts';

export type StoredAccounting = {
  readonly partitions: readonly Omit<PartitionAccounting, 'inFlight'>[];
  readonly imports: readonly PartitionAccounting[];
  readonly days: readonly DayAccounting[];
  /** When the stored sample was made (epoch milliseconds). It is no part of the other numbers but the days. */
  readonly sampleMadeAt: number | undefined;
};

/**
 * Reads the stored accounting of a topic from its blocks and from the usage tables. With `since` (epoch milliseconds) it reads
 * only blocks stored since then and days (UTC) that began since then. `to` is the last offset in any case.
 */
export async function readStoredAccounting(
  db: ClickHouse,
  topic: string,
  since = 0,
): Promise<StoredAccounting> {
  const [all, days] = await Promise.all([
    readPartitions(db, { topics: [topic, HISTORY_TOPIC, SAMPLE_TOPIC], since }),
    readDays(db, since),
  ]);
  const of = (name: string) => all.filter((one) => one.topic === name);
  const [sample] = of(SAMPLE_TOPIC);
  return {
    partitions: of(topic),
    imports: of(HISTORY_TOPIC).map((one) => ({ ...one, inFlight: 0n })),
    days,
    sampleMadeAt: sample && sample.epoch * 1000,
  };
}

type PartitionRow = Numbers<string> & {
  readonly topic: string;
  readonly epoch: number;
  readonly partition: number;
  readonly from_offset: string;
  readonly to_offset: string;
  readonly refused_by_reason: Readonly<Record<string, string>>;
};

const NUMBERS = [
  'blocks',
  'gaps',
  'overlaps',
  'received',
  'counted',
  'refused',
  'duplicate',
  'dead',
] as const;

/** Like the view `accounting`, for some of the blocks. */
async function readPartitions(
  db: ClickHouse,
  params: { readonly topics: readonly string[]; readonly since: number },
): Promise<StoredAccounting['partitions']> {
  const rows = await readRows<PartitionRow>(
    db,
    `select
       topic,
       epoch,
       partition,
       countIf(is_recent) as blocks,
       if(blocks = 0, max(b.to_offset), minIf(b.from_offset, is_recent)) as from_offset,
       max(b.to_offset) as to_offset,
       countIf(is_recent and b.from_offset > b.previous_to) as gaps,
       countIf(is_recent and b.from_offset < b.previous_to) as overlaps,
       sumIf(b.received, is_recent) as received,
       sumIf(b.counted, is_recent) as counted,
       sumIf(b.refused, is_recent) as refused,
       cast(sumMapIf(b.refused_reasons, b.refused_counts, is_recent), 'Map(String, UInt64)') as refused_by_reason,
       sumIf(b.duplicate, is_recent) as duplicate,
       sumIf(b.dead, is_recent) as dead
     from (
       select *, stored_at >= fromUnixTimestamp64Milli({since:Int64}) as is_recent, lagInFrame(to_offset, 1, from_offset) over (
         partition by topic, epoch, partition
         order by from_offset, to_offset
         rows between 1 preceding and current row
       ) as previous_to
       from blocks
       where topic in {topics:Array(String)}
     ) as b
     group by topic, epoch, partition
     order by topic, epoch, partition`,
    params,
  );
  return rows.map(({ topic, epoch, partition, from_offset, to_offset, refused_by_reason, ...row }) => ({
    topic,
    epoch,
    partition,
    from: BigInt(from_offset),
    to: BigInt(to_offset),
    ...numbersOf(row),
    refusedByReason: Object.fromEntries(
      Object.entries(refused_by_reason).map(([reason, metrics]) => [reason, Number(metrics)]),
    ),
  }));
}

type Numbers<T> = Readonly<Record<(typeof NUMBERS)[number], T>>;

function numbersOf(row: Numbers<string>): Numbers<number> {
  return Object.fromEntries(NUMBERS.map((name) => [name, Number(row[name])])) as Numbers<number>; // of each
}

type DayTable = {
  readonly table: DayAccounting['table'];
  /** Expression for the day of a row. */
  readonly dayOfRow: string;
  readonly sums: string;
  /** The sums of blocks (yes, no, variants) that the table also has. */
  readonly held: readonly [number, number];
};

const USAGE = { sums: '[sum(yes), sum(no)]', held: [0, 2] } as const;
const VARIANTS = { sums: '[sum(count)]', held: [2, 3] } as const;

const DAY_TABLES: readonly DayTable[] = [
  { table: 'usage_hourly', dayOfRow: 'toDate(hour)', ...USAGE },
  { table: 'usage_daily', dayOfRow: 'day', ...USAGE },
  { table: 'variants_hourly', dayOfRow: 'toDate(hour)', ...VARIANTS },
  { table: 'variants_daily', dayOfRow: 'day', ...VARIANTS },
];

/** Identifiers and expressions come only from the constants above. Markers are not counts. */
const DAY_SUMS = [
  `select 'blocks' as source, day as the_day, [sum(day_yes), sum(day_no), sum(day_variants)] as sums
   from blocks
   array join days as day, day_yes, day_no, day_variants
   group by the_day`,
  ...DAY_TABLES.map(
    ({ table, dayOfRow, sums }) =>
      `select '${table}' as source, ${dayOfRow} as the_day, ${sums} as sums
       from ${table}
       where feature_name != ''
       group by the_day`,
  ),
].join('\nunion all\n');

/**
 * One query for all tables, because ClickHouse takes longer to plan it than to run it: five queries would take five times as
 * long.
 */
async function readDays(db: ClickHouse, since: number): Promise<DayAccounting[]> {
  const rows = await readRows<{ source: string; day: string; sums: string[] }>(
    db,
    `select source, toString(the_day) as day, sums
     from (${DAY_SUMS})
     where the_day > today() - ${COMPARED_DAYS}
       and toDateTime(the_day, 'UTC') >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
     order by the_day`,
    { since },
  );
  const found = new Map(rows.map(({ source, day, sums }) => [keyOf(source, day), sums.map(BigInt)]));
  const days = [...new Set(rows.map(({ day }) => day))];
  return DAY_TABLES.flatMap(({ table, held }) =>
    days.flatMap((day) => {
      const ofBlocks = found.get(keyOf('blocks', day))?.slice(...held);
      const stored = found.get(keyOf(table, day));
      if (ofBlocks === undefined && stored === undefined) return [];
      return [{ day, table, expected: ofBlocks ?? zeros(held), stored: stored ?? zeros(held) }];
    }),
  );
}

function keyOf(source: string, day: string): string {
  return `${source} ${day}`;
}

/** A side without rows has no sums. */
function zeros([from, to]: DayTable['held']): bigint[] {
  return Array.from({ length: to - from }, () => 0n);
}
