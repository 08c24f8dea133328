import { type DayAccounting, hasReports, sumsOf } from '#core/accounting';
import { COUNT_TABLES, type CountTable } from '#core/clickhouse';
import { isoDay } from '#base/schema';
import type { ImpactTimeSums, TimeSums } from '#core/counting';

export type DayRange = { readonly from: number; readonly to: number };

/** The sums of one day in one table: the present ones, those according to the log, and those according to the blocks. */
export type DayChange = {
  readonly day: string;
  readonly table: DayAccounting['table'];
  /** From 1; undefined if there is only one. */
  readonly shard?: number | undefined;
  readonly before: readonly bigint[];
  readonly after: readonly bigint[];
  readonly blocks: readonly bigint[];
};

/** Those whose sums `replay` shows. */
const TABLES = COUNT_TABLES.filter(({ kind }) => kind !== 'refusals');

/** The sums of one day that blocks add. */
export type AddedSums = {
  readonly counts?: TimeSums;
  readonly impact?: ImpactTimeSums;
  /** Evaluations with a reason. */
  readonly reasons?: { readonly evaluations: bigint };
};

export type DaySides = {
  readonly live: readonly DayAccounting[];
  readonly rebuilt: readonly DayAccounting[];
  /** The sums of rebuilt blocks that ClickHouse had lost. */
  readonly restored: ReadonlyMap<number, AddedSums>;
};

/** The change of each day and table in a range (days since the epoch, half-open). */
export function compareDays({ from, to }: DayRange, { live, rebuilt, restored }: DaySides): DayChange[] {
  const changes: DayChange[] = [];
  for (let number = from; number < to; number += 1) {
    const day = isoDay(number);
    for (const { table, kind } of TABLES) {
      const isOf = (one: DayAccounting): boolean => one.day === day && one.table === table;
      const old = live.find(isOf);
      const zeros = Array.from({ length: sumsOf(table) + (hasReports(table) ? 1 : 0) }, () => 0n);
      const added = addedSums(restored.get(number), kind);
      const blocks = (old?.expected ?? zeros).map((sum, index) =>
        BigInt.asUintN(64, sum + (added[index] ?? 0n)),
      );
      const after = rebuilt.find(isOf)?.stored ?? zeros;
      changes.push({ day, table, before: old?.stored ?? zeros, after, blocks });
    }
  }
  return changes;
}

function addedSums(sums: AddedSums | undefined, kind: CountTable['kind']): bigint[] {
  const { counts, impact, reasons } = sums ?? {};
  if (kind === 'reasons') return reasons === undefined ? [] : [reasons.evaluations];
  if (kind === 'impact')
    return impact === undefined ? [] : [impact.total, impact.observations, impact.samples];
  if (counts === undefined) return [];
  return kind === 'usage' ? [counts.yes, counts.no, counts.unknown, counts.reports] : [counts.variants];
}

export function isSame(a: readonly bigint[], b: readonly bigint[]): boolean {
  return a.length === b.length && a.every((sum, index) => sum === b[index]);
}
