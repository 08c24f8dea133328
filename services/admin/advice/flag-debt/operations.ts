import { compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import { type FlagDebt, type FlagDebtQuery, flagDebtQuery, flagDebtSchema } from './schema.ts';
import type { FlagDebtStore } from './store.ts';

const DAY_MS = 24 * 3_600_000;
const DEFAULT_DAYS = 90;

const FIGURES = { flags: 41, overdueFlags: 12, evaluations: 812_000, constantEvaluations: 81_200 };

const EXAMPLE: FlagDebt = {
  days: [{ day: '2026-11-25', ...FIGURES, isComplete: true }],
  totalGroups: 1,
  groups: [{ project: 'shop', owner: 'team-basket', ...FIGURES }],
};

/** Flags that are older than they should be, and evaluations that decide nothing. */
export function flagDebtOperations(debt: FlagDebtStore): Operation<FlagDebtQuery>[] {
  const reads = new ReadsInTurn<FlagDebt>();
  return [
    {
      id: 'getFlagDebt',
      scope: 'visible',
      queue: 'none',
      method: 'get',
      tag: 'Clean-up',
      permission: 'READ',
      path: '/api/admin/metrics/flag-debt',
      summary:
        'Flags that are older than their type lasts, and evaluations of flags that decide nothing: by day, and by project and owner',
      query: compileQuery<FlagDebtQuery>(flagDebtQuery),
      answer: { status: 200, description: 'The debt.', schema: flagDebtSchema, example: EXAMPLE },
      run({ query, caller, visible, left }) {
        const filter = { from: dayBefore(DEFAULT_DAYS), to: dayBefore(0), ...query, visible };
        return reads.read({ caller, left }, JSON.stringify(filter), () => debt.read(filter));
      },
    },
  ];
}

/** YYYY-MM-DD of UTC. */
function dayBefore(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}
