import type { UsageSeriesAnswer } from '../../../types.ts';

/** The evaluations of one feature in the time window. */
export type RowUsage = {
  readonly total: number;
  /** For each bucket; null if unknown. */
  readonly counts: readonly (number | null)[];
  readonly isLastGrowing: boolean;
  readonly environments: ReadonlyMap<string, { readonly yes: number; readonly no: number }>;
};

/** Adds up the environments of one feature. */
export function usageIn({ series, starts, isLastComplete }: UsageSeriesAnswer, feature: string): RowUsage {
  const own = series.filter((one) => one.feature === feature);
  const counts = starts.map((_, at) =>
    own.reduce<number | null>((sum, { yes = [], no = [], unknown = [] }) => {
      const [ofYes, ofNo, ofUnknown] = [yes[at], no[at], unknown[at]];
      if (sum === null || ofYes === null || ofNo === null || ofUnknown === null) return null;
      return sum + (ofYes ?? 0) + (ofNo ?? 0) + (ofUnknown ?? 0);
    }, 0),
  );
  return {
    total: own.reduce((sum, { total: { yes = 0, no = 0, unknown = 0 } }) => sum + yes + no + unknown, 0),
    counts,
    isLastGrowing: !isLastComplete,
    environments: new Map(
      own.flatMap(({ group, total: { yes = 0, no = 0 } }) => (group === null ? [] : [[group, { yes, no }]])),
    ),
  };
}
