import type { ComparedAccounting } from '../open-accounting.ts';
import {
  type DayAccounting,
  type PartitionAccounting,
  subjectOfDay,
  subjectOfPartition,
  sumSamples,
  sumTallies,
} from '../differences.ts';
import type { AccountingDocument } from './document-schema.ts';

/** The accounting as JSON: `reconcile --json` prints it, and the admin API returns it. */
export function documentOf(
  { accounting, differences, deadLetters }: ComparedAccounting,
  since: number | undefined,
): AccountingDocument {
  const faulty = new Set(differences.map(({ subject }) => subject));
  const { partitions, imports, days, sampleMadeAt } = accounting;
  return {
    at: new Date().toISOString(),
    isBalanced: differences.length === 0,
    since: since === undefined ? null : new Date(since).toISOString(),
    total: totalOf(partitions),
    partitions: partitions.map((partition) => {
      const { shard: _shard, ownShard: _ownShard, from, to, inFlight, ...others } = partition;
      const isBalanced = !faulty.has(subjectOfPartition(partition));
      return { ...others, from: Number(from), to: Number(to), inFlight: Number(inFlight), isBalanced };
    }),
    days: daysOf(days, faulty),
    deadLetters,
    imported: importedOf(imports),
    sample: sampleMadeAt === undefined ? null : { madeAt: new Date(sampleMadeAt).toISOString() },
    differences: differences.map(({ subject, text }) => ({ subject, text })),
  };
}

/** Adds up the shards. A day is balanced if each shard is, because two errors could cancel out. */
function daysOf(days: readonly DayAccounting[], faulty: ReadonlySet<string>): AccountingDocument['days'] {
  const groups = new Map<string, DayAccounting[]>();
  for (const one of days) {
    const key = `${one.table} ${one.day}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].flatMap((group) =>
    group.slice(0, 1).map(({ day, table }) => ({
      day,
      table,
      expected: sumsOf(group.map(({ expected }) => expected)),
      stored: sumsOf(group.map(({ stored }) => stored)),
      beingStored: sumsOf(group.map(({ beingStored }) => beingStored)),
      isBalanced: !group.some((one) => faulty.has(subjectOfDay(one))),
    })),
  );
}

function sumsOf([first = [], ...others]: readonly (readonly bigint[])[]): string[] {
  return first.map((sum, index) => String(others.reduce((total, one) => total + (one[index] ?? 0n), sum)));
}

function importedOf(imports: readonly PartitionAccounting[]): AccountingDocument['imported'] {
  const { received, counted, refused, refusedByReason } = totalOf(imports);
  return { received, counted, refused, refusedByReason };
}

function totalOf(partitions: readonly PartitionAccounting[]): AccountingDocument['total'] {
  const refusedByReason: Record<string, number> = {};
  const samples = sumSamples(partitions.map((one) => one.samples));
  const total = { ...sumTallies(partitions), refusedByReason, samples, inFlight: 0, gaps: 0, overlaps: 0 };
  for (const { inFlight, gaps, overlaps, ...partition } of partitions) {
    total.inFlight += Number(inFlight);
    total.gaps += gaps;
    total.overlaps += overlaps;
    for (const [reason, metrics] of Object.entries(partition.refusedByReason))
      refusedByReason[reason] = (refusedByReason[reason] ?? 0) + metrics;
  }
  return total;
}
