import type { Source } from './source/source-tables.ts';

/** What one table of Unleash holds of one day (UTC, ISO date). */
export type SourceDay = {
  readonly source: Source;
  readonly day: string;
  readonly rows: number;
  readonly yes: bigint;
  readonly no: bigint;
  readonly variants: bigint;
};

/** Rows outside the range, of both tables. */
export type OutsideRows = { readonly tooOld: number; readonly imported: number; readonly later: number };

/** What both tables hold: the days of the range, and the rows outside it. */
export type SourceSums = { readonly days: readonly SourceDay[]; readonly outside: OutsideRows };

/** The days to import, in order, and the rows to leave out. */
export type HistoryPlan = {
  readonly days: readonly SourceDay[];
  /** `otherTable`: rows of days that come from the other table. */
  readonly leftOut: OutsideRows & { readonly otherTable: number };
};

/**
 * Chooses one table for each day, so that no day counts twice. Unleash adds up the hours of a closed day. Later it deletes the
 * hours, at any time of a day. So the table with more evaluations is the complete one. If both have the same number, hours say
 * more.
 */
export function planOf({ days, outside }: SourceSums): HistoryPlan {
  const chosen = new Map<string, SourceDay>();
  let otherTable = 0;
  for (const day of days) {
    const other = chosen.get(day.day);
    const better = other === undefined ? day : betterOf(day, other);
    if (other !== undefined) otherTable += better === day ? other.rows : day.rows;
    chosen.set(day.day, better);
  }
  const inOrder = [...chosen.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
  return { days: inOrder, leftOut: { ...outside, otherTable } };
}

function betterOf(a: SourceDay, b: SourceDay): SourceDay {
  const [first, second] = [a.yes + a.no, b.yes + b.no];
  if (first === second) return a.source === 'hours' ? a : b;
  return first > second ? a : b;
}
