import type { ComparedAccounting } from './open-accounting.ts';
import { type PartitionAccounting, placeOfDay, placeOfPartition, sumTallies } from './differences.ts';
import type { AccountingDocument } from './document-schema.ts';

/** The accounting as JSON: `reconcile --json` prints it, and the admin API returns it. */
export function documentOf(
  { accounting, differences, deadLetters }: ComparedAccounting,
  since: number | undefined,
): AccountingDocument {
  const faulty = new Set(differences.map(({ place }) => place));
  const { partitions, imports, days, sampleMadeAt } = accounting;
  return {
    at: new Date().toISOString(),
    isBalanced: differences.length === 0,
    since: since === undefined ? null : new Date(since).toISOString(),
    total: totalOf(partitions),
    partitions: partitions.map((partition) => ({
      ...partition,
      from: Number(partition.from),
      to: Number(partition.to),
      inFlight: Number(partition.inFlight),
      isBalanced: !faulty.has(placeOfPartition(partition)),
    })),
    days: days.map((day) => ({
      ...day,
      expected: day.expected.map(String),
      stored: day.stored.map(String),
      isBalanced: !faulty.has(placeOfDay(day)),
    })),
    deadLetters,
    imported: importedOf(imports),
    sample: sampleMadeAt === undefined ? null : { madeAt: new Date(sampleMadeAt).toISOString() },
    differences: differences.map(({ place, text }) => ({ place, text })),
  };
}

function importedOf(imports: readonly PartitionAccounting[]): AccountingDocument['imported'] {
  const { received, counted, refused, refusedByReason } = totalOf(imports);
  return { received, counted, refused, refusedByReason };
}

function totalOf(partitions: readonly PartitionAccounting[]): AccountingDocument['total'] {
  const refusedByReason: Record<string, number> = {};
  const total = { ...sumTallies(partitions), refusedByReason, inFlight: 0, gaps: 0, overlaps: 0 };
  for (const { inFlight, gaps, overlaps, ...partition } of partitions) {
    total.inFlight += Number(inFlight);
    total.gaps += gaps;
    total.overlaps += overlaps;
    for (const [reason, metrics] of Object.entries(partition.refusedByReason))
      refusedByReason[reason] = (refusedByReason[reason] ?? 0) + metrics;
  }
  return total;
}
