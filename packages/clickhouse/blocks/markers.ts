import { type Block, type BlockRange, dayOf, isoDay } from '#counting';
import { type ClickHouse, readRows } from '../client.ts';
import { OF_PARTITION, type PartitionKey } from './partition-key.ts';

/*
 * A block is stored in shares: what one table takes of it for one month. ClickHouse writes a share as one part, so that it is
 * there as a whole or not at all. With its rows each share leaves a mark, which adds the messages of the block to those that the
 * table holds of the Kafka partition: a row of no feature, on the last day that the block has there. The table `blocks` says
 * which marks a block leaves. So for each share it can be told whether the block is in what is marked, or is not.
 */

/** What the marks of a table count in. */
const MARKED = {
  usage: [
    { table: 'usage_hourly', time: 'hour', count: 'reports' },
    { table: 'usage_daily', time: 'day', count: 'reports' },
  ],
  variants: [
    { table: 'variants_hourly', time: 'hour', count: 'count' },
    { table: 'variants_daily', time: 'day', count: 'count' },
  ],
  refusals: [{ table: 'refusals_daily', time: 'day', count: 'count' }],
} as const;

type Kind = keyof typeof MARKED;
type MarkedTable = (typeof MARKED)[Kind][number];

/** The last day (ISO) of a month that a block has in tables of one kind. */
export type MarkedDay = { readonly kind: Kind; readonly day: string };

export function markedDays({ days, refusals }: Pick<Block, 'days' | 'refusals'>): MarkedDay[] {
  const variantDays = [...days].flatMap(([day, { variants }]) => (variants > 0n ? day : []));
  return [
    ...lastDays('usage', days.keys()),
    ...lastDays('variants', variantDays),
    ...lastDays(
      'refusals',
      refusals.map(({ receivedAt }) => dayOf(receivedAt)),
    ),
  ];
}

function lastDays(kind: Kind, days: Iterable<number>): MarkedDay[] {
  const lastOf = new Map<string, string>();
  for (const day of Array.from(days, isoDay).sort()) lastOf.set(monthOf(day), day);
  return Array.from(lastOf.values(), (day) => ({ kind, day }));
}

function monthOf(day: string): string {
  return day.slice(0, 7).replace('-', '');
}

/** The marks of a block, as the table `blocks` keeps them: `usage_daily 2026-11-21`. */
export function marksOf(block: Pick<Block, 'days' | 'refusals'>): string[] {
  return sharesOf(block).map(({ mark }) => mark);
}

/** What marks of a Kafka partition are found by. */
export function markKey({ topic, epoch, partition }: PartitionKey): string {
  return `${topic}:${epoch}:${partition}`;
}

type Share = MarkedTable & { readonly day: string; readonly mark: string; readonly name: string };

function sharesOf(block: Pick<Block, 'days' | 'refusals'>): Share[] {
  return markedDays(block).flatMap(({ kind, day }) =>
    MARKED[kind].map((marked) => ({
      ...marked,
      day,
      mark: `${marked.table} ${day}`,
      name: `${marked.table} ${monthOf(day)}`,
    })),
  );
}

/** Names of shares as the views compare them: `usage_daily 202611`; that of the table `blocks` has no month. */
type Standing = {
  readonly stored: readonly string[];
  readonly missing: readonly string[];
  /** Neither with the block nor without it do the marks add up: days were replaced or deleted meanwhile. */
  readonly unclear: readonly string[];
};

export function namesOfShares(block: Block): string[] {
  return ['blocks', ...sharesOf(block).map(({ name }) => name)];
}

/** Which shares of a block are stored. */
export async function readStanding(db: ClickHouse, block: Block): Promise<Standing> {
  const { from, to } = block.range;
  const shares = sharesOf(block);
  const { isStored, earlier } = await readEarlierMarks(db, block.range, shares);
  const marked = await readMarked(db, block.range, shares);
  const stored: string[] = [];
  const missing: string[] = [];
  const unclear: string[] = [];
  (isStored ? stored : missing).push('blocks');
  for (const { mark, name } of shares) {
    const added = (marked.get(mark) ?? 0n) - (earlier.get(mark) ?? 0n);
    if (added === to - from) stored.push(name);
    else if (added === 0n) missing.push(name);
    else unclear.push(name);
  }
  return { stored, missing, unclear };
}

/** What the marks of the table hold. Identifiers come from the constants above only. */
async function readMarked(
  db: ClickHouse,
  range: BlockRange,
  shares: readonly Share[],
): Promise<Map<string, bigint>> {
  if (shares.length === 0) return new Map();
  const days = Object.fromEntries(shares.map(({ day }, index) => [`day${index}`, day]));
  const sums = shares.map(
    ({ table, time, count }, index) =>
      `select {mark${index}:String} as mark, sum(${count}) as messages
       from ${table}
       where feature_name = ''
         and environment = ''
         and app_name = {key:String}
         and toDate(${time}) = toDate({day${index}:String})`,
  );
  const marks = Object.fromEntries(shares.map(({ mark }, index) => [`mark${index}`, mark]));
  const rows = await readRows<MarkSum>(db, sums.join(' union all '), {
    ...days,
    ...marks,
    key: markKey(range),
  });
  return new Map(rows.map(({ mark, messages }) => [mark, BigInt(messages)]));
}

type MarkSum = { readonly mark: string; readonly messages: string };

/** What the marks must hold without the block, and whether it is in the table `blocks` itself. */
async function readEarlierMarks(
  db: ClickHouse,
  { from, to, ...partition }: BlockRange,
  shares: readonly Share[],
): Promise<{ isStored: boolean; earlier: Map<string, bigint> }> {
  const rows = await readRows<MarkSum>(
    db,
    `select mark, sum(to_offset - from_offset) as messages
     from (
       select arrayJoin(marks) as mark, from_offset, to_offset
       from blocks
       where ${OF_PARTITION}
         and to_offset <= {from:UInt64}
         and received_to >= toDateTime({firstDay:String}, 'UTC') - interval 2 day
     )
     where has({marks:Array(String)}, mark)
     group by mark
     union all
     select '' as mark, 1 as messages
     from blocks
     where ${OF_PARTITION}
       and from_offset = {from:UInt64}
       and to_offset = {to:UInt64}
     limit 1`,
    {
      ...partition,
      marks: shares.map(({ mark }) => mark),
      // Blocks that were received before a day have no marks there; clocks that run ahead are let two days.
      firstDay: `${
        shares
          .map(({ day }) => day)
          .sort()
          .at(0) ?? '1970-01-01'
      } 00:00:00`,
      from: from.toString(),
      to: to.toString(),
    },
  );
  const earlier = new Map(rows.map(({ mark, messages }) => [mark, BigInt(messages)]));
  return { isStored: earlier.has(''), earlier };
}
