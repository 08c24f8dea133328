import type { DayAccounting } from '#core/accounting';
import { COUNT_TABLES } from '#core/clickhouse';
import { isoDay } from '#base/schema';

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

/** The sums of one day that blocks add to tables of each kind, by name. */
export type AddedSums = Readonly<Record<string, Readonly<Record<string, bigint>>>>;

export type DaySides = {
  readonly live: readonly DayAccounting[];
  readonly rebuilt: readonly DayAccounting[];
  /** The sums of rebuilt blocks that ClickHouse had lost. */
  readonly restored: ReadonlyMap<number, AddedSums>;
};

/** The change of each day and table in a range (days since the epoch, half-open). Minutes only of days that the accounting compares. */
export function compareDays({ from, to }: DayRange, { live, rebuilt, restored }: DaySides): DayChange[] {
  const changes: DayChange[] = [];
  for (let number = from; number < to; number += 1) {
    const day = isoDay(number);
    for (const { table, kind, counts, reported } of TABLES) {
      const isOf = (one: DayAccounting): boolean => one.day === day && one.table === table;
      const old = live.find(isOf);
      if (kind === 'minutes' && old === undefined) continue;
      const names = [...Object.keys(counts), ...(reported === undefined ? [] : [reported])];
      const zeros = names.map(() => 0n);
      const added = restored.get(number)?.[kind];
      const blocks = names.map((name, index) =>
        BigInt.asUintN(64, (old?.expected[index] ?? 0n) + (added?.[name] ?? 0n)),
      );
      const after = rebuilt.find(isOf)?.stored ?? zeros;
      changes.push({ day, table, before: old?.stored ?? zeros, after, blocks });
    }
  }
  return changes;
}

export function isSame(a: readonly bigint[], b: readonly bigint[]): boolean {
  return a.length === b.length && a.every((sum, index) => sum === b[index]);
}
