import type { SampleTally, Tally } from '#core/counting';
import { amountOf } from '#base/runtime';
import type { DayTable } from './days/day-tables.ts';

/** The numbers of one partition of one epoch, from its stored blocks. */
export type PartitionAccounting = Tally & {
  readonly topic: string;
  readonly epoch: number;
  readonly partition: number;
  readonly blocks: number;
  /** Refused metrics by reason; a missing reason means none. */
  readonly refusedByReason: Readonly<Record<string, number>>;
  /** Samples of impact metrics. */
  readonly samples: SampleTally;
  readonly from: bigint;
  readonly to: bigint;
  /** How often a block begins behind the end of the previous one, or the first one behind the start of the topic. */
  readonly gaps: number;
  readonly overlaps: number;
  /** Messages that are in the log but not yet in a block. */
  readonly inFlight: bigint;
  /** The shard that holds these blocks, and the one that should, both from 1. Undefined if there is only one. */
  readonly shard?: number;
  readonly ownShard?: number;
};

/**
 * The sums of one day in `blocks` and in a table of a shard: yes, no, unknown and reports, or variants, or refusals, or totals (billionths, modulo
 * 2^64), observations and samples of impact metrics.
 */
export type DayAccounting = {
  /** ISO date. */
  readonly day: string;
  readonly table: DayTable;
  readonly expected: readonly bigint[];
  readonly stored: readonly bigint[];
  /** Sums of blocks that are being stored: only one of the two sides has them. */
  readonly beingStored: readonly bigint[];
  /** Whether the sides differ by more than that, and in which hours, for which reasons or partitions, if that is known. */
  readonly isWrong: boolean;
  readonly wrong: readonly string[];
  /** The shard that holds both, from 1. Undefined if there is only one. */
  readonly shard?: number | undefined;
};

export type Accounting = {
  readonly partitions: readonly PartitionAccounting[];
  /** Imports of Unleash's history: a partition for each. */
  readonly imports: readonly PartitionAccounting[];
  readonly days: readonly DayAccounting[];
  /** Epoch milliseconds; undefined without a sample. */
  readonly sampleMadeAt: number | undefined;
};

/** Two numbers that should be equal and are not. */
export type Difference = {
  /** Identifies the difference. It stays the same from one reading of live data to the next. */
  readonly subject: string;
  readonly text: string;
  /**
   * The distance of the two sides, and the value of one side. If data are missing, the distance stays the same while the value
   * grows.
   */
  readonly by: string;
  readonly at: string;
};

/** All differences; none if received = counted + refused + duplicate + dead holds everywhere, for metrics and for samples. */
export function findDifferences({
  partitions,
  imports,
  days,
}: Pick<Accounting, 'partitions' | 'imports' | 'days'>): Difference[] {
  return [...partitions, ...imports].flatMap(differencesOfPartition).concat(days.flatMap(differencesOfDay));
}

function differencesOfPartition(partition: PartitionAccounting): Difference[] {
  const { received, counted, refused, refusedByReason, duplicate, dead, gaps, overlaps, blocks } = partition;
  const subject = subjectOfPartition(partition);
  const found: [text: string, by: number][] = [];
  if (blocks > 0 && partition.shard !== partition.ownShard)
    found.push([
      `${amountOf(blocks, 'block belongs', 'blocks belong')} to shard ${partition.ownShard}`,
      blocks,
    ]);
  if (gaps > 0) found.push([`${amountOf(gaps, 'gap')} between blocks`, gaps]);
  if (overlaps > 0) found.push([amountOf(overlaps, 'overlapping block'), overlaps]);
  const explained = counted + refused + duplicate + dead;
  if (received !== explained)
    found.push([`received ${received}, explained ${explained}`, received - explained]);
  const withReason = Object.values(refusedByReason).reduce((sum, metrics) => sum + metrics, 0);
  if (refused !== withReason)
    found.push([`refused ${refused}, with a reason ${withReason}`, refused - withReason]);
  const { samples } = partition;
  const explainedSamples = samples.counted + samples.refused + samples.duplicate;
  if (samples.received !== explainedSamples)
    found.push([
      `received ${samples.received} samples, explained ${explainedSamples}`,
      samples.received - explainedSamples,
    ]);
  return found.map(([text, by]) => ({ subject, text, by: String(by), at: String(partition.to) }));
}

const MAX_PLACES = 3;

function differencesOfDay(day: DayAccounting): Difference[] {
  const { expected, stored, isWrong, wrong } = day;
  if (!isWrong) return [];
  const named = wrong.slice(0, MAX_PLACES).join(', ') + (wrong.length > MAX_PLACES ? ', ...' : '');
  return [
    {
      subject: subjectOfDay(day),
      text: `blocks say ${expected.join('/')}, the table says ${stored.join('/')}${named && ` (${named})`}`,
      by: [...expected.map((sum, index) => (stored[index] ?? 0n) - sum), ...wrong].join('/'),
      at: expected.join('/'),
    },
  ];
}

/** How differences name a partition. */
export function subjectOfPartition({ topic, partition, epoch, shard }: PartitionAccounting): string {
  return `${topic}/${partition} (epoch ${epoch})${ofShard(shard)}`;
}

/** How differences name a day. */
export function subjectOfDay({ day, table, shard }: Pick<DayAccounting, 'day' | 'table' | 'shard'>): string {
  return `${day} ${table}${ofShard(shard)}`;
}

function ofShard(shard: number | undefined): string {
  return shard === undefined ? '' : ` of shard ${shard}`;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  return sumOf([...OUTCOMES_OF_SAMPLES, 'dead'], tallies);
}

export function sumSamples(tallies: readonly SampleTally[]): SampleTally {
  return sumOf(OUTCOMES_OF_SAMPLES, tallies);
}

const OUTCOMES_OF_SAMPLES = ['received', 'counted', 'refused', 'duplicate'] as const;

function sumOf<Name extends string>(
  names: readonly Name[],
  all: readonly Readonly<Record<Name, number>>[],
): Record<Name, number> {
  const sums = names.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)]);
  return Object.fromEntries(sums) as Record<Name, number>; // of each
}
