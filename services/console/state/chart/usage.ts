import type { Usage } from '../usage.ts';
import { type ChartData, totalsOf } from './counts.ts';

/** Yes over no in the window, with the window before. */
export function usageChart({ starts, end, completeUntil, series, previous }: Usage): ChartData {
  const [all] = series;
  const before = previous?.flatMap(({ yes, no }) => [{ counts: yes }, { counts: no }]);
  return {
    ...{ starts, end, completeUntil },
    series: [
      { id: 'yes', title: 'yes', tone: 'yes', counts: all?.yes ?? [] },
      { id: 'no', title: 'no', tone: 'no', counts: all?.no ?? [] },
    ],
    previous: before && totalsOf(before, starts.length),
  };
}
