import type { ChartData } from '../../../state/chart/counts.ts';
import type { FlagDebt } from '../../../types.ts';

const DAY_MS = 86_400_000;

type Days = FlagDebt['days'];

const OVERDUE = { id: 'overdue', title: 'overdue', tone: 'yes' } as const;
const YOUNGER = { id: 'younger', title: 'younger or permanent', tone: 'no' } as const;
const CONSTANT = { id: 'constant', title: 'decide nothing', tone: 'yes' } as const;
const OTHERS = { id: 'others', title: 'others', tone: 'no' } as const;

/** Overdue flags over the others, and evaluations that decide nothing over the others, by day of UTC. */
export function debtCharts(days: Days): { readonly flags: ChartData; readonly evaluations: ChartData } {
  const starts = days.map(({ day }) => Date.parse(day));
  const end = (starts.at(-1) ?? 0) + DAY_MS;
  const growing = days.findIndex(({ isComplete }) => !isComplete);
  const completeUntil = growing < 0 ? end : (starts[growing] ?? end);
  return {
    flags: {
      // The flags of today are those of now, and nothing is still to come.
      starts,
      end,
      completeUntil: end,
      series: [
        { ...OVERDUE, counts: days.map(({ overdueFlags }) => overdueFlags) },
        { ...YOUNGER, counts: days.map(({ flags, overdueFlags }) => flags - overdueFlags) },
      ],
    },
    evaluations: {
      starts,
      end,
      completeUntil,
      series: [
        { ...CONSTANT, counts: days.map(({ constantEvaluations }) => constantEvaluations) },
        {
          ...OTHERS,
          counts: days.map(({ evaluations, constantEvaluations }) => evaluations - constantEvaluations),
        },
      ],
    },
  };
}
