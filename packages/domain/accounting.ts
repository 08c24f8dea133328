import type { Tally } from './block.ts';

/** One partition of one epoch, as its stored blocks tell it. */
export type PartitionAccount = Tally & {
  readonly topic: string;
  readonly epoch: number;
  readonly partition: number;
  readonly blocks: number;
  readonly from: bigint;
  readonly to: bigint;
  /** Places where a block does not begin where the one before it ended. */
  readonly gaps: number;
  readonly overlaps: number;
  /** Messages that are in the log and not yet in a block. */
  readonly inFlight: bigint;
};

/** Sums of one day in `blocks` and in the usage tables. */
export type DayAccount = {
  /** ISO date. */
  readonly day: string;
  readonly table: 'usage_hourly' | 'usage_daily' | 'variants_hourly' | 'variants_daily';
  readonly expected: readonly bigint[];
  readonly stored: readonly bigint[];
};

export type Accounting = {
  readonly partitions: readonly PartitionAccount[];
  readonly days: readonly DayAccount[];
};

/** Everything that does not add up, as sentences; empty when received = counted + refused + duplicate + dead holds. */
export function findDifferences({ partitions, days }: Accounting): string[] {
  return [...partitions.flatMap(differencesOfPartition), ...days.flatMap(differencesOfDay)];
}

function differencesOfPartition(account: PartitionAccount): string[] {
  const { received, counted, refused, duplicate, dead, gaps, overlaps } = account;
  const place = `${account.topic}/${account.partition} (epoch ${account.epoch})`;
  const differences = [];
  if (gaps > 0) differences.push(`${place}: ${gaps} gaps between blocks`);
  if (overlaps > 0) differences.push(`${place}: ${overlaps} overlapping blocks`);
  const explained = counted + refused + duplicate + dead;
  if (received !== explained) differences.push(`${place}: received ${received}, explained ${explained}`);
  return differences;
}

function differencesOfDay({ day, table, expected, stored }: DayAccount): string[] {
  const same = expected.every((sum, index) => sum === stored[index]);
  return same ? [] : [`${day}: blocks hold ${expected.join('/')}, ${table} holds ${stored.join('/')}`];
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
