import type { Tally } from '#counting';

/** One partition of one epoch, according to its stored blocks. */
export type PartitionAccounting = Tally & {
  readonly topic: string;
  readonly epoch: number;
  readonly partition: number;
  readonly blocks: number;
  /** Refused metrics by reason; a reason that is left out has none. */
  readonly refusedByReason: Readonly<Record<string, number>>;
  readonly from: bigint;
  readonly to: bigint;
  /** Places where a block does not begin where the one before it ended. */
  readonly gaps: number;
  readonly overlaps: number;
  /** Messages that are in the log and not yet in a block. */
  readonly inFlight: bigint;
};

/** Sums of one day in `blocks` and in the usage tables. */
export type DayAccounting = {
  /** ISO date. */
  readonly day: string;
  readonly table: 'usage_hourly' | 'usage_daily' | 'variants_hourly' | 'variants_daily';
  readonly expected: readonly bigint[];
  readonly stored: readonly bigint[];
};

export type Accounting = {
  readonly partitions: readonly PartitionAccounting[];
  readonly days: readonly DayAccounting[];
};

/** Something that does not add up. */
export type Difference = {
  /** Stays the same from one look at live data to the next. */
  readonly place: string;
  readonly text: string;
  /** How far the two sides are apart, and where one of them stands: if data are missing, the first stays while the second moves on. */
  readonly by: string;
  readonly at: string;
};

/** Everything that does not add up; empty when received = counted + refused + duplicate + dead holds everywhere. */
export function findDifferences({ partitions, days }: Accounting): Difference[] {
  return [...partitions.flatMap(differencesOfPartition), ...days.flatMap(differencesOfDay)];
}

function differencesOfPartition(partition: PartitionAccounting): Difference[] {
  const { received, counted, refused, refusedByReason, duplicate, dead, gaps, overlaps } = partition;
  const place = placeOfPartition(partition);
  const found: [text: string, by: number][] = [];
  if (gaps > 0) found.push([`${gaps} gaps between blocks`, gaps]);
  if (overlaps > 0) found.push([`${overlaps} overlapping blocks`, overlaps]);
  const explained = counted + refused + duplicate + dead;
  if (received !== explained)
    found.push([`received ${received}, explained ${explained}`, received - explained]);
  const withReason = Object.values(refusedByReason).reduce((sum, metrics) => sum + metrics, 0);
  if (refused !== withReason)
    found.push([`refused ${refused}, with a reason ${withReason}`, refused - withReason]);
  return found.map(([text, by]) => ({ place, text, by: String(by), at: String(partition.to) }));
}

function differencesOfDay(day: DayAccounting): Difference[] {
  const { expected, stored } = day;
  if (expected.length === stored.length && expected.every((sum, index) => sum === stored[index])) return [];
  return [
    {
      place: placeOfDay(day),
      text: `blocks say ${expected.join('/')}, the table says ${stored.join('/')}`,
      by: expected.map((sum, index) => (stored[index] ?? 0n) - sum).join('/'),
      at: expected.join('/'),
    },
  ];
}

/** What a difference calls its partition. */
export function placeOfPartition({ topic, partition, epoch }: PartitionAccounting): string {
  return `${topic}/${partition} (epoch ${epoch})`;
}

/** What a difference calls its day. */
export function placeOfDay({ day, table }: DayAccounting): string {
  return `${day} ${table}`;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  const total: Tally = { received: 0, counted: 0, refused: 0, duplicate: 0, dead: 0 };
  for (const tally of tallies) {
    total.received += tally.received;
    total.counted += tally.counted;
    total.refused += tally.refused;
    total.duplicate += tally.duplicate;
    total.dead += tally.dead;
  }
  return total;
}
