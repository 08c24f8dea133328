import { type ClickHouse, readRows } from '#core/clickhouse';
import { COMPARED_DAYS } from '#base/runtime';
import { HISTORY_TOPIC, SAMPLE_TOPIC } from '#core/counting';
import { type DayRow, readDayRows } from './days/day-query.ts';
import type { DayAccounting, PartitionAccounting } from './differences.ts';
import { judgeDays } from './days/judge-days.ts';
import type { OpenBlocks, Progress } from './blocks/open-blocks.ts';

export type StoredAccounting = {
  readonly partitions: readonly Omit<PartitionAccounting, 'inFlight'>[];
  readonly imports: readonly PartitionAccounting[];
  readonly days: readonly DayAccounting[];
  /** When the stored sample was made (epoch milliseconds). It is no part of the other numbers but the days. */
  readonly sampleMadeAt: number | undefined;
};

/** Reads the stored accounting while nothing is being stored. */
export async function readStoredAccounting(db: ClickHouse, topic: string): Promise<StoredAccounting> {
  return judgeStored(await readStored(db, topic), new Map());
}

/** The stored accounting before its days are judged. */
export type Stored = Omit<StoredAccounting, 'days'> & { readonly rows: readonly DayRow[] };

export function judgeStored({ rows, ...stored }: Stored, open: OpenBlocks): StoredAccounting {
  return { ...stored, days: judgeDays(rows, open) };
}

export type StoredOptions = {
  /** Epoch milliseconds. Only blocks stored since then, and days (UTC) that began since then. */
  readonly since?: number | undefined;
  /** How far blocks were stored before. */
  readonly progress?: readonly Progress[];
};

/** Reads the stored accounting of a topic from its blocks and from the tables. `to` is the last offset in any case. */
export async function readStored(
  db: ClickHouse,
  topic: string,
  { since = 0, progress = [] }: StoredOptions = {},
): Promise<Stored> {
  const [all, rows] = await Promise.all([
    readPartitions(db, { topics: [topic, HISTORY_TOPIC, SAMPLE_TOPIC], since }),
    readDayRows(db, { since, progress }),
  ]);
  const of = (name: string) => all.filter((one) => one.topic === name);
  const [sample] = of(SAMPLE_TOPIC);
  return {
    partitions: of(topic),
    imports: of(HISTORY_TOPIC).map((one) => ({ ...one, inFlight: 0n })),
    rows,
    sampleMadeAt: sample && sample.epoch * 1000,
  };
}

type PartitionRow = Numbers<string> &
  Readonly<Record<(typeof SAMPLE_NUMBERS)[number], string>> & {
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

/** Columns of the numbers of samples. */
const SAMPLE_NUMBERS = [
  'samples_received',
  'samples_counted',
  'samples_refused',
  'samples_duplicate',
] as const;

/** Their first blocks begin at 0, because blocks are kept for longer. */
const YOUNG_EPOCHS = `select topic, epoch from topic_epochs where created_at > now() - interval ${COMPARED_DAYS} day`;

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
       sumIf(b.dead, is_recent) as dead,
       ${SAMPLE_NUMBERS.map((name) => `sumIf(b.${name}, is_recent) as ${name}`).join(',\n       ')}
     from (
       select *, stored_at >= fromUnixTimestamp64Milli({since:Int64}) as is_recent, lagInFrame(to_offset, 1, if((topic, epoch) in (${YOUNG_EPOCHS}), 0, from_offset)) over (
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
    samples: {
      received: Number(row.samples_received),
      counted: Number(row.samples_counted),
      refused: Number(row.samples_refused),
      duplicate: Number(row.samples_duplicate),
    },
    refusedByReason: Object.fromEntries(
      Object.entries(refused_by_reason).map(([reason, metrics]) => [reason, Number(metrics)]),
    ),
  }));
}

type Numbers<T> = Readonly<Record<(typeof NUMBERS)[number], T>>;

function numbersOf(row: Numbers<string>): Numbers<number> {
  return Object.fromEntries(NUMBERS.map((name) => [name, Number(row[name])])) as Numbers<number>; // of each
}
