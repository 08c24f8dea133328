import { dayOf, isoDay } from '#base/schema';
import type { Block, BlockRange } from '#core/counting';
import { type ClickHouse, readRows } from '../client/client.ts';
import { COUNT_TABLES, type CountTable, partitionOf } from '../count-tables.ts';
import { readMinutes } from '../minutes.ts';
import { OF_PARTITION, type PartitionKey } from './partition-key.ts';

/**
 * A target is the part of one table, for one month (of minutes: for one day), that a block goes to. ClickHouse writes the rows for a target as one part,
 * so they are stored as a whole or not at all. The block adds a marker for each of its days there: a row without a feature. The
 * markers of a Kafka partition add up the messages stored for that day. The table `blocks` lists the markers of each block. So
 * for each target the markers show whether it holds the block. Beside the messages, markers add up the counts of the block, with
 * which the accounting compares the other rows of the table.
 */

type Kind = CountTable['kind'];

/** A day (ISO) that a block has in tables of one kind. */
type MarkerDay = { readonly kind: Kind; readonly day: string };

/** What decides which markers a block has. */
type Marked = Pick<Block, 'days' | 'minuteDays' | 'refusals' | 'impact' | 'reasons'>;

function markerDays({ days, minuteDays, refusals, impact, reasons }: Marked): MarkerDay[] {
  const variantDays = [...days].flatMap(([day, { variants }]) => (variants > 0n ? day : []));
  const refusalDays = new Set(refusals.map(({ receivedAt }) => dayOf(receivedAt)));
  return [
    ...Array.from(days.keys(), (day) => ({ kind: 'usage' as const, day: isoDay(day) })),
    ...variantDays.map((day) => ({ kind: 'variants' as const, day: isoDay(day) })),
    ...Array.from(impact.days.keys(), (day) => ({ kind: 'impact' as const, day: isoDay(day) })),
    ...Array.from(reasons.days.keys(), (day) => ({ kind: 'reasons' as const, day: isoDay(day) })),
    ...Array.from(refusalDays, (day) => ({ kind: 'refusals' as const, day: isoDay(day) })),
    ...Array.from(minuteDays.keys(), (day) => ({ kind: 'minutes' as const, day: isoDay(day) })),
  ].sort((a, b) => a.day.localeCompare(b.day));
}

/** The markers of a block, as the table `blocks` stores them: `usage_daily 2026-11-21`. */
export function markersOf(block: Marked): string[] {
  return markerDays(block).flatMap(({ kind, day }) => tablesOf(kind).map(({ table }) => `${table} ${day}`));
}

function tablesOf(kind: Kind): CountTable[] {
  return COUNT_TABLES.filter((table) => table.kind === kind);
}

/** The application name in the markers of a Kafka partition. */
export function markerKey({ topic, epoch, partition }: PartitionKey): string {
  return `${topic}:${epoch}:${partition}`;
}

type Target = CountTable & { readonly day: string; readonly marker: string; readonly name: string };

/** The targets of a block, each with the marker of its last day there. */
function targetsOf(block: Marked): Target[] {
  const targets = new Map<string, Target>();
  for (const { kind, day } of markerDays(block)) {
    for (const table of tablesOf(kind)) {
      const name = `${table.table} ${partitionOf(table, day)}`;
      targets.set(name, { ...table, day, marker: `${table.table} ${day}`, name });
    }
  }
  return [...targets.values()];
}

/** Names of targets as the views compare them: `usage_daily 202611`. The target in the table `blocks` has no time. */
type TargetStatus = {
  readonly stored: readonly string[];
  readonly missing: readonly string[];
  /** The markers match neither a stored nor a missing block, because days were deleted meanwhile. */
  readonly unclear: readonly string[];
};

export function namesOfTargets(block: Block): string[] {
  return ['blocks', ...targetsOf(block).map(({ name }) => name)];
}

/** The targets that hold the block. */
export async function readTargetStatus(db: ClickHouse, block: Block): Promise<TargetStatus> {
  const { from, to } = block.range;
  const targets = targetsOf(block);
  const { isStored, earlier } = await readEarlierMarkers(db, block.range, targets);
  const found = await readMarkers(db, block.range, targets);
  const stored: string[] = [];
  const missing: string[] = [];
  const unclear: string[] = [];
  (isStored ? stored : missing).push('blocks');
  const hasMinutes = targets.some(({ kind }) => kind === 'minutes');
  const areMinutesKept = hasMinutes && (await readMinutes(db)) !== undefined;
  for (const { kind, marker, name } of targets) {
    if (kind === 'minutes' && !areMinutesKept) {
      stored.push(name);
      continue;
    }
    const added = (found.get(marker) ?? 0n) - (earlier.get(marker) ?? 0n);
    // More than its own messages are those of later blocks. A worker goes on only after the block is complete, so another one has
    // completed it. Blocks are kept longer than metrics may be late, so none of the earlier ones is missing in the sum.
    if (added >= to - from) stored.push(name);
    else if (added === 0n) missing.push(name);
    else unclear.push(name);
  }
  return { stored, missing, unclear };
}

/** The sums of the markers in the tables. */
async function readMarkers(
  db: ClickHouse,
  range: BlockRange,
  targets: readonly Target[],
): Promise<Map<string, bigint>> {
  if (targets.length === 0) return new Map();
  const days = Object.fromEntries(targets.map(({ day }, index) => [`day${index}`, day]));
  const sums = targets.map(
    ({ table, isMarker, time, messages }, index) =>
      `select {marker${index}:String} as marker, ${messages} as messages
       from ${table}
       where ${isMarker}
         and environment = ''
         and app_name = {key:String}
         and toDate(${time}) = toDate({day${index}:String})`,
  );
  const markers = Object.fromEntries(targets.map(({ marker }, index) => [`marker${index}`, marker]));
  const rows = await readRows<MarkerSum>(db, sums.join(' union all '), {
    ...days,
    ...markers,
    key: markerKey(range),
  });
  return new Map(rows.map(({ marker, messages }) => [marker, BigInt(messages)]));
}

type MarkerSum = { readonly marker: string; readonly messages: string };

/** The sums that the markers must have without the block, and whether the table `blocks` holds the block. */
async function readEarlierMarkers(
  db: ClickHouse,
  { from, to, ...partition }: BlockRange,
  targets: readonly Target[],
): Promise<{ isStored: boolean; earlier: Map<string, bigint> }> {
  const rows = await readRows<MarkerSum>(
    db,
    `select marker, sum(to_offset - from_offset) as messages
     from (
       select arrayJoin(markers) as marker, from_offset, to_offset
       from blocks
       where ${OF_PARTITION}
         and to_offset <= {from:UInt64}
         and received_to >= toDateTime({firstDay:String}, 'UTC') - interval 2 day
     )
     where has({markers:Array(String)}, marker)
     group by marker
     union all
     select '' as marker, 1 as messages
     from blocks
     where ${OF_PARTITION}
       and from_offset = {from:UInt64}
       and to_offset = {to:UInt64}
     limit 1`,
    {
      ...partition,
      markers: targets.map(({ marker }) => marker),
      // A block received before a day has no markers there, but its metrics may be in the future by less than two days.
      firstDay: `${
        targets
          .map(({ day }) => day)
          .sort()
          .at(0) ?? '1970-01-01'
      } 00:00:00`,
      from: from.toString(),
      to: to.toString(),
    },
  );
  const earlier = new Map(rows.map(({ marker, messages }) => [marker, BigInt(messages)]));
  return { isStored: earlier.has(''), earlier };
}
