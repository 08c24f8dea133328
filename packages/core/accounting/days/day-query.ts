import { type ClickHouse, readMinutes, readRows } from '#core/clickhouse';
import { COMPARED_DAYS } from '#base/runtime';
import { blockSums } from './block-sums.ts';
import { type DayTable, MOST_SUMS, READINGS, type Readings } from './day-tables.ts';
import type { Progress } from '../blocks/open-blocks.ts';

/** The sums of the counts of a table, and then, of markers and blocks, the number of messages. */
export type SumsText = readonly string[];

/** What a table and its markers, or its markers and the blocks, say about one day. Missing numbers are 0. */
export type DayRow = {
  readonly the_table: DayTable;
  readonly day: string;
  readonly source: 'rows' | 'blocks';
  /** The sums of the rows, or of the blocks. */
  readonly day_sums: SumsText;
  readonly marker_sums: SumsText;
  /** Counted metrics, of the rows or of the blocks. */
  readonly day_reports: string;
  /** The hours or reasons whose rows and markers differ. */
  readonly wrong: readonly string[];
  /** The partitions whose markers and blocks differ, or that have blocks beyond the commits that were read first. */
  readonly partitions: readonly PartitionSums[];
};

/** The sums of markers, of the blocks that were stored before, and of each block beyond, in order. */
type PartitionSums = readonly [
  key: string,
  of_markers: SumsText,
  settled: SumsText,
  open: readonly (readonly [to: string, sums: SumsText])[],
];

/**
 * Compares the tables by day. One query for all of them, because it then sees all tables at nearly the same moment. ClickHouse takes
 * longer to plan it than to run it, so it leaves out empty tables: the blocks show what they should hold.
 */
export async function readDayRows(
  db: ClickHouse,
  { since, progress }: { readonly since: number; readonly progress: readonly Progress[] },
): Promise<DayRow[]> {
  const { isOpen, params } = isBeyond(progress);
  const [filled, minutes] = await Promise.all([readFilled(db), readMinutes(db)]);
  return readRows<DayRow>(
    db,
    `with
       fromUnixTimestamp64Milli({since:Int64}, 'UTC') as since,
       (
         select toUInt32OrZero(extract(engine_full, 'TTL day \\+ toIntervalDay\\((\\d+)\\)'))
         from system.tables
         where database = currentDatabase()
           and name = 'refusals_daily'
       ) as refusal_days_kept
     ${unionOf([...(filled.length === 0 ? [] : [ofRows(filled)]), ofBlocks(filled, isOpen)])}`,
    { since, minutesFrom: minutes?.comparedFrom ?? NEVER, ...params },
  );
}

/** The last day of ClickHouse. */
const NEVER = '2149-06-06';

/** The tables with rows. A block that is stored after this was read counts as one that is being stored. */
async function readFilled(db: ClickHouse): Promise<Readings[]> {
  const rows = await readRows<{ name: string }>(
    db,
    `select name
     from system.tables
     where database = currentDatabase()
       and name in {tables:Array(String)}
       and total_rows > 0`,
    { tables: READINGS.map(({ table }) => table) },
  );
  const names = new Set(rows.map(({ name }) => name));
  return READINGS.filter(({ table }) => names.has(table));
}

function unionOf(selects: readonly string[]): string {
  return selects.join('\nunion all\n');
}

function ofRows(tables: readonly Readings[]): string {
  return `select
      the_table,
      toString(the_day) as day,
      'rows' as source,
      sumForEach(of_rows) as day_sums,
      sumForEach(of_markers) as marker_sums,
      sum(metrics) as day_reports,
      arraySort(groupArrayIf(slot, of_rows != of_markers)) as wrong,
      [] as partitions
    from (
      select
        the_table,
        the_day,
        slot,
        arrayResize(sumForEachIf(sums, not is_marker), ${MOST_SUMS}) as of_rows,
        arrayResize(sumForEachIf(sums, is_marker), ${MOST_SUMS}) as of_markers,
        sumIf(reported, not is_marker) as metrics
      from (${unionOf(tables.map(({ rows }) => rows))})
      group by the_table, the_day, slot
    )
    where ${IN_RANGE}
    group by the_table, the_day`;
}

function ofBlocks(tables: readonly Readings[], isOpen: string): string {
  return `select
      the_table,
      toString(the_day) as day,
      'blocks' as source,
      sumForEach(of_blocks) as day_sums,
      sumForEach(of_markers) as marker_sums,
      sum(metrics) as day_reports,
      [] as wrong,
      groupArrayIf((key, of_markers, settled, open), of_markers != settled or notEmpty(open)) as partitions
    from (
      select
        the_table,
        the_day,
        key,
        arrayResize(sumForEachIf(sums, is_marker), ${MOST_SUMS + 1}) as of_markers,
        arrayResize(sumForEachIf(sums, not is_marker), ${MOST_SUMS + 1}) as of_blocks,
        arrayResize(sumForEachIf(sums, not is_marker and open_to = 0), ${MOST_SUMS + 1}) as settled,
        arraySort(groupArrayIf((open_to, sums), open_to > 0)) as open,
        sum(reported) as metrics
      from (
        ${unionOf([...tables.map(({ markers }) => markers), blockSums(isOpen)])}
      )
      group by the_table, the_day, key
    )
    where ${IN_RANGE}
    group by the_table, the_day`;
}

/** Refusals and minutes may be kept for fewer days. They are deleted at the beginning of a day, or when a day is some hours old. */
const IN_RANGE = `
      the_day > today() - ${COMPARED_DAYS}
      and (the_table != 'refusals_daily' or refusal_days_kept = 0 or the_day > today() - refusal_days_kept)
      and (the_table != 'usage_minutely' or the_day >= {minutesFrom:Date})
      and toDateTime(the_day, 'UTC') >= since`;

/**
 * Whether a row of `blocks` ends beyond what was stored before. Offsets that were reset make many blocks do so, which are old.
 * Only topics come from outside, so only they are parameters.
 */
function isBeyond(progress: readonly Progress[]): {
  readonly isOpen: string;
  readonly params: Readonly<Record<string, string>>;
} {
  const topics = [...new Set(progress.map(({ topic }) => topic))];
  const conditions = topics.map((topic, index) => {
    const ofTopic = progress.filter((one) => one.topic === topic);
    const partitions = `[${ofTopic.map(({ partition }) => partition).join(', ')}]::Array(UInt32)`;
    const endsOf = (ends: readonly bigint[]) => `[${ends.join(', ')}]::Array(UInt64)`;
    const stored = endsOf(ofTopic.map(({ storedTo }) => storedTo));
    const intended = endsOf(ofTopic.map(({ intendedTo }) => intendedTo ?? 0n));
    return `topic = {topic${index}:String}
      and epoch = ${ofTopic[0]?.epoch ?? 0}
      and to_offset > transform(partition, ${partitions}, ${stored}, ${MAX_OFFSET})
      and (stored_at > now() - interval 1 hour or to_offset <= transform(partition, ${partitions}, ${intended}, toUInt64(0)))`;
  });
  return {
    isOpen: conditions.length === 0 ? 'false' : conditions.map((one) => `(${one})`).join(' or '),
    params: Object.fromEntries(topics.map((topic, index) => [`topic${index}`, topic])),
  };
}

const MAX_OFFSET = "toUInt64('18446744073709551615')";
