import { expect } from 'chai';
import { debtCharts } from '../../../../../services/console/pages/advice/clean-up/debt-charts.ts';

const aDay = (day: string, isComplete: boolean) => ({
  day,
  isComplete,
  flags: 10,
  overdueFlags: 3,
  evaluations: 1000,
  constantEvaluations: 400,
});

describe('the charts of the debt of flags', () => {
  it('divide flags and evaluations into debt and the rest, by day of UTC', () => {
    const { flags, evaluations } = debtCharts([aDay('2026-11-25', true), aDay('2026-11-26', false)]);
    expect(flags.series.map(({ title, counts }) => [title, ...counts])).to.deep.equal([
      ['overdue', 3, 3],
      ['younger or permanent', 7, 7],
    ]);
    expect(evaluations.series.map(({ title, counts }) => [title, ...counts])).to.deep.equal([
      ['decide nothing', 400, 400],
      ['others', 600, 600],
    ]);
    expect(flags.starts).to.deep.equal([Date.UTC(2026, 10, 25), Date.UTC(2026, 10, 26)]);
  });

  it('show that the evaluations of today still grow, and the flags do not', () => {
    const { flags, evaluations } = debtCharts([aDay('2026-11-25', true), aDay('2026-11-26', false)]);
    expect(evaluations.completeUntil).to.equal(Date.UTC(2026, 10, 26));
    expect(flags.completeUntil).to.equal(Date.UTC(2026, 10, 27));
  });
});
