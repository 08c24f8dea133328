import { expect } from 'chai';
import fc from 'fast-check';
import { type SourceDay, differencesOf, planOf } from '#unleash/history';

const OUTSIDE = { tooOld: 0, imported: 0, later: 0 };

describe('the plan of an import', () => {
  it('takes the sum of a day whose hours Unleash has partly deleted', () => {
    const days = [aDay({ source: 'hours', yes: 3n, rows: 2 }), aDay({ source: 'days', yes: 9n, rows: 1 })];
    const plan = planOf({ days, outside: OUTSIDE });

    expect(plan.days).to.deep.equal([days[1]]);
    expect(plan.leftOut).to.deep.equal({ ...OUTSIDE, otherTable: 2 });
  });

  it('takes the hours of a day that got evaluations after Unleash had added it up', () => {
    const days = [aDay({ source: 'hours', yes: 9n, no: 1n }), aDay({ source: 'days', yes: 9n })];

    expect(planOf({ days, outside: OUTSIDE }).days).to.deep.equal([days[0]]);
  });

  it('prefers hours if both tables have the same evaluations', () => {
    const days = [aDay({ source: 'days', yes: 1n, no: 4n }), aDay({ source: 'hours', yes: 2n, no: 3n })];

    expect(planOf({ days, outside: OUTSIDE }).days).to.deep.equal([days[1]]);
  });

  it('keeps days in order and adds nothing to the rows outside', () => {
    const days = ['2026-11-20', '2026-11-19', '2026-11-21'].map((day) => aDay({ day }));
    const outside = { tooOld: 1, imported: 2, later: 3 };
    const plan = planOf({ days, outside });

    expect(plan.days.map(({ day }) => day)).to.deep.equal(['2026-11-19', '2026-11-20', '2026-11-21']);
    expect(plan.leftOut).to.deep.equal({ ...outside, otherTable: 0 });
  });

  it('takes each day once, with the larger sum, in whatever order the tables are read', () => {
    const arbitraryDay = fc.record({
      source: fc.constantFrom('hours' as const, 'days' as const),
      day: fc.constantFrom('2026-11-19', '2026-11-20', '2026-11-21'),
      yes: fc.bigInt(0n, 3n),
    });
    const arbitraryDays = fc.uniqueArray(arbitraryDay, { selector: ({ source, day }) => `${source} ${day}` });
    fc.assert(
      fc.property(arbitraryDays, (parts) => {
        const days = parts.map(aDay);
        const plan = planOf({ days, outside: OUTSIDE });
        expect(planOf({ days: days.toReversed(), outside: OUTSIDE })).to.deep.equal(plan);
        expect(plan.days).to.have.length(new Set(days.map(({ day }) => day)).size);
        for (const { day, yes } of days)
          expect(plan.days.find((one) => one.day === day)?.yes).to.satisfy((chosen: bigint) => chosen >= yes);
        const rows = plan.days.reduce((sum, one) => sum + one.rows, plan.leftOut.otherTable);
        expect(rows).to.equal(days.length);
      }),
    );
  });
});

describe('the differences after an import', () => {
  it('are the days for which Unleash has higher sums than the imports', () => {
    const imported = [aDay({ day: '2026-11-19', yes: 5n }), aDay({ day: '2026-11-20', yes: 5n })];
    const now = [aDay({ day: '2026-11-19', yes: 5n }), aDay({ day: '2026-11-20', yes: 4n, no: 1n })];

    expect(differencesOf(imported, now).map(({ day }) => day)).to.deep.equal(['2026-11-20']);
  });

  it('do not contain what Unleash has deleted', () => {
    const imported = [aDay({ day: '2026-11-19', yes: 5n }), aDay({ day: '2026-11-20', yes: 5n })];

    expect(differencesOf(imported, [aDay({ day: '2026-11-20', yes: 4n })])).to.deep.equal([]);
  });

  it('contain days that were not there, and compare with the sum of all imports', () => {
    const imported = [aDay({ variants: 2n }), aDay({ variants: 3n })];
    const later = aDay({ day: '2026-11-22', yes: 1n });

    expect(differencesOf(imported, [aDay({ variants: 5n }), later]).map(({ day }) => day)).to.deep.equal([
      later.day,
    ]);
  });
});

function aDay(parts: Partial<SourceDay>): SourceDay {
  return { source: 'hours', day: '2026-11-21', rows: 1, yes: 0n, no: 0n, variants: 0n, ...parts };
}
