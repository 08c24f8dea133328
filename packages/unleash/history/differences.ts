import type { SourceDay } from './plan.ts';

type Sums = Pick<SourceDay, 'rows' | 'yes' | 'no' | 'variants'>;

/** A day of an earlier import for which Unleash now has higher sums. */
export type DayDifference = { readonly day: string; readonly imported: Sums; readonly now: Sums };

const NOTHING: Sums = { rows: 0, yes: 0n, no: 0n, variants: 0n };

/**
 * The days for which Unleash has higher sums than the imports. Lower sums are no difference, because Unleash deletes old rows.
 * Several imports may contain parts of one day.
 */
export function differencesOf(imported: readonly SourceDay[], now: readonly SourceDay[]): DayDifference[] {
  const sums = new Map<string, Sums>();
  for (const day of imported) sums.set(day.day, add(sums.get(day.day) ?? NOTHING, day));
  return now.flatMap((day) => {
    const before = sums.get(day.day) ?? NOTHING;
    const hasMore = day.yes > before.yes || day.no > before.no || day.variants > before.variants;
    const { rows, yes, no, variants } = day;
    return hasMore ? [{ day: day.day, imported: before, now: { rows, yes, no, variants } }] : [];
  });
}

function add(a: Sums, b: Sums): Sums {
  return { rows: a.rows + b.rows, yes: a.yes + b.yes, no: a.no + b.no, variants: a.variants + b.variants };
}
