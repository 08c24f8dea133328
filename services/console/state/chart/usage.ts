import type { Usage } from '../usage.ts';
import { type ChartData, type ChartSeries, type BucketCount, sumOf, totalsOf } from './counts.ts';

/** Yes and no, over them what nobody reported if there is any, with the window before. */
export function usageChart({ starts, end, completeUntil, series, previous }: Usage): ChartData {
  const [all] = series;
  const before = previous?.flatMap(({ yes, no, unknown }) =>
    [yes, no, unknown].map((counts) => ({ counts })),
  );
  return {
    starts,
    end,
    completeUntil,
    series: resultSeries(all ?? NOTHING),
    previous: before && totalsOf(before, starts.length),
  };
}

type Results = Readonly<Record<'yes' | 'no' | 'unknown', readonly BucketCount[]>>;

const NOTHING: Results = { yes: [], no: [], unknown: [] };

/** The layers of evaluations by result. Few flags have results that nobody reported. */
export function resultSeries({ yes, no, unknown }: Results): ChartSeries[] {
  const known: ChartSeries[] = [
    { id: 'yes', title: 'yes', tone: 'yes', counts: yes },
    { id: 'no', title: 'no', tone: 'no', counts: no },
  ];
  if ((sumOf(unknown) ?? 0) === 0) return known;
  return [...known, { id: 'unknown', title: 'result not reported', tone: 'unknown', counts: unknown }];
}
