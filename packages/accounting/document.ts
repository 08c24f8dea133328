import type { ComparedBooks } from './books.ts';
import { type PartitionAccount, placeOfDay, placeOfPartition, sumTallies } from './differences.ts';
import type { AccountingDocument } from './document-schema.ts';

/** The books as JSON: what `reconcile --json` prints and the admin API answers. */
export function documentOf(
  { accounting, differences, deadLetters }: ComparedBooks,
  since: number | undefined,
): AccountingDocument {
  const faulty = new Set(differences.map(({ place }) => place));
  const { partitions, days } = accounting;
  return {
    at: new Date().toISOString(),
    isBalanced: differences.length === 0,
    since: since === undefined ? null : new Date(since).toISOString(),
    total: totalOf(partitions),
    partitions: partitions.map((account) => ({
      ...account,
      from: Number(account.from),
      to: Number(account.to),
      inFlight: Number(account.inFlight),
      isBalanced: !faulty.has(placeOfPartition(account)),
    })),
    days: days.map((account) => ({
      ...account,
      expected: account.expected.map(String),
      stored: account.stored.map(String),
      isBalanced: !faulty.has(placeOfDay(account)),
    })),
    deadLetters,
    differences: differences.map(({ place, text }) => ({ place, text })),
  };
}

function totalOf(partitions: readonly PartitionAccount[]): AccountingDocument['total'] {
  const refusedByReason: Record<string, number> = {};
  const total = { ...sumTallies(partitions), refusedByReason, inFlight: 0, gaps: 0, overlaps: 0 };
  for (const account of partitions) {
    total.inFlight += Number(account.inFlight);
    total.gaps += account.gaps;
    total.overlaps += account.overlaps;
    for (const [reason, metrics] of Object.entries(account.refusedByReason))
      refusedByReason[reason] = (refusedByReason[reason] ?? 0) + metrics;
  }
  return total;
}
