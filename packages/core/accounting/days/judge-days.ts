import type { DayRow, SumsText } from './day-query.ts';
import { type DayTable, countNames, hasReports } from './day-tables.ts';
import type { DayAccounting } from '../differences.ts';
import type { OpenBlocks } from '../blocks/open-blocks.ts';

type Sums = readonly bigint[];

/**
 * Judges each day of each table, in the order of both. Three things must agree: the rows of the table, its markers, and the blocks. Rows and markers
 * are stored together, by hour or reason, so they agree at any time. Markers and blocks are compared by partition. There a
 * table may have an open block that others do not have yet, and only exactly that one.
 */
export function judgeDays(rows: readonly DayRow[], open: OpenBlocks): DayAccounting[] {
  const found = new Map<string, { rows?: DayRow; blocks?: DayRow }>();
  for (const row of rows) {
    const place = `${row.day} ${row.the_table}`;
    found.set(place, { ...found.get(place), [row.source]: row });
  }
  const places = [...found].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return places.flatMap(([, { rows: ofRows, blocks }]) => {
    const { the_table, day } = ofRows ?? blocks ?? {};
    if (the_table === undefined || day === undefined) return [];
    return [{ day, table: the_table, ...judgeDay(the_table, { rows: ofRows, blocks, open }) }];
  });
}

type Sides = {
  readonly rows: DayRow | undefined;
  readonly blocks: DayRow | undefined;
  readonly open: OpenBlocks;
};

function judgeDay(table: DayTable, { rows, blocks, open }: Sides): Omit<DayAccounting, 'day' | 'table'> {
  const isReported = hasReports(table);
  const read = (sums: SumsText | undefined): Sums => firstOf(countNames(table).length, sums ?? []);
  const markers = read(blocks?.marker_sums);
  const markersBesideRows = read(rows?.marker_sums);
  const expected = [...read(blocks?.day_sums), ...(isReported ? [BigInt(blocks?.day_reports ?? 0)] : [])];
  const stored = [
    // Both scans saw the same markers, unless a block was stored between them.
    ...plus(markers, minus(read(rows?.day_sums), markersBesideRows)),
    ...(isReported ? [BigInt(rows?.day_reports ?? 0)] : []),
  ];
  const wrong = [...(rows?.wrong ?? [])];
  const withMessages = (sums: SumsText): Sums => firstOf(countNames(table).length + 1, sums);
  let beingStored = read(undefined);
  for (const [key, ofMarkers, before, beyond] of blocks?.partitions ?? []) {
    const part = explain({
      markers: withMessages(ofMarkers),
      before: withMessages(before),
      beyond: beyond.map(([, sums]) => withMessages(sums)),
      sizes: open.get(key),
    });
    if (part === undefined) wrong.push(nameOf(key));
    else beingStored = plus(beingStored, part);
  }
  const [reportsExpected, reportsStored] = isReported
    ? [expected.at(-1) ?? 0n, stored.at(-1) ?? 0n]
    : [0n, 0n];
  const isSettled = isZero(beingStored) && isSame(markers, markersBesideRows);
  if (isSettled && wrong.length === 0 && reportsExpected !== reportsStored) wrong.push('');
  const reports = isZero(beingStored) ? 0n : distance(reportsExpected, reportsStored);
  return {
    expected,
    stored,
    beingStored: isReported ? [...beingStored, reports] : beingStored,
    isWrong: wrong.length > 0,
    wrong: wrong.filter((place) => place !== ''),
  };
}

function firstOf(length: number, sums: SumsText): Sums {
  return Array.from({ length }, (_, index) => BigInt(sums[index] ?? 0));
}

/** The sums of one partition: counts, and last the number of messages. */
export type PartitionSides = {
  readonly markers: Sums;
  /** The blocks that were stored as a whole before, and then, in order, those that `blocks` has beyond. */
  readonly before: Sums;
  readonly beyond: readonly Sums[];
  /** The numbers of messages of intended blocks; undefined if no block can be open. */
  readonly sizes: readonly bigint[] | undefined;
};

/**
 * The counts of blocks that only one of the two sides has yet; undefined if these do not explain the distance of the sides.
 * A worker stores one block at a time. So the table has the first of the open blocks, and perhaps one that `blocks` does not
 * have, with as many messages as its intent.
 */
export function explain({ markers, before, beyond, sizes }: PartitionSides): Sums | undefined {
  let blocks = before;
  for (const [index, sums] of beyond.entries()) {
    if (sizes !== undefined && isSame(markers, blocks)) return countsOf(beyond.slice(index).reduce(plus));
    blocks = plus(blocks, sums);
  }
  const excess = minus(markers, blocks);
  if (isZero(excess)) return countsOf(excess);
  const isOneBlock = sizes?.includes(excess.at(-1) ?? 0n) === true && excess.every((sum) => sum < 2n ** 63n);
  return isOneBlock ? countsOf(excess) : undefined;
}

function countsOf(sums: Sums): Sums {
  return sums.slice(0, -1);
}

/** Wraps at 2^64 like the sums of ClickHouse. */
function plus(a: Sums, b: Sums): Sums {
  return a.map((sum, index) => BigInt.asUintN(64, sum + (b[index] ?? 0n)));
}

function minus(a: Sums, b: Sums): Sums {
  return a.map((sum, index) => BigInt.asUintN(64, sum - (b[index] ?? 0n)));
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

function isZero(sums: Sums): boolean {
  return sums.every((sum) => sum === 0n);
}

function isSame(a: Sums, b: Sums): boolean {
  return isZero(minus(a, b));
}

/** `counts:1:0` as the accounting names it elsewhere. */
function nameOf(key: string): string {
  const [partition = '', epoch = '', ...topic] = key.split(':').reverse();
  return `${topic.reverse().join(':')}/${partition} (epoch ${epoch})`;
}
