import { expect } from 'chai';
import { FlagmeterError } from '#base/runtime';
import { differencesOf, excessOf } from '../../../../services/cli/commands/compare-unleash/differences.ts';
import { withoutUnderDefault } from '../../../../services/cli/commands/compare-unleash/under-default.ts';
import { hoursBackOf, hoursOf } from '../../../../services/cli/commands/compare-unleash/hours.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 10, 21, 10, 15);
const at = (text: string): number => Date.parse(`${text}:00:00Z`);

describe('the hours that compare-unleash compares', () => {
  const known = [
    [{}, '2026-11-21T09', '2026-11-21T10'],
    [{ hour: '2026-11-21T07:59:59Z' }, '2026-11-21T07', '2026-11-21T08'],
    [{ hour: '2026-11-21T10:00:00Z' }, '2026-11-21T10', '2026-11-21T11'],
    [{ day: '2026-11-21' }, '2026-11-21T00', '2026-11-21T10'],
    [{ day: '2026-11-20' }, '2026-11-20T00', '2026-11-21T00'],
    [{ day: '2026-11-19' }, '2026-11-19T11', '2026-11-20T00'],
  ] as const;
  for (const [options, from, to] of known)
    it(`are ${from} to ${to} for ${JSON.stringify(options)}`, () => {
      const hours = hoursOf(options, NOW);
      expect(hours).to.deep.equal({ from: at(from), to: at(to) });
      expect(hoursBackOf(hours, NOW) * HOUR_MS).to.be.at.least(NOW - hours.from);
    });

  const unknown = [
    { day: '2026-11-18' },
    { day: '2026-11-22' },
    { day: '2026-02-30' },
    { day: 'yesterday' },
    { hour: '2026-11-21T11:00:00Z' },
    { hour: 'now' },
    { day: '2026-11-21', hour: '2026-11-21T07:00:00Z' },
  ];
  for (const options of unknown)
    it(`are none for ${JSON.stringify(options)}`, () => {
      expect(() => hoursOf(options, NOW)).to.throw(FlagmeterError);
    });
});

describe('the differences between flagmeter and Unleash', () => {
  it('are none between equal sums, in any order and with any number of zeros', () => {
    const counted = [aUsage({ variants: { a: 1, b: 2 } }), aUsage({ appName: 'other' })];
    const mirrored = [
      aUsage({ appName: 'idle', yes: 0, no: 0 }),
      aUsage({ appName: 'other' }),
      aUsage({ variants: { b: 2, c: 0, a: 1 } }),
    ];
    expect(differencesOf('f', counted, mirrored)).to.deep.equal([]);
  });

  const others = [{ yes: 4 }, { no: 1 }, { variants: { a: 1 } }];
  for (const other of others)
    it(`show ${JSON.stringify(other)}`, () => {
      const [difference, ...rest] = differencesOf('f', [aUsage()], [aUsage(other)]);
      expect(rest).to.deep.equal([]);
      expect(difference).to.deep.equal({
        featureName: 'f',
        environment: 'production',
        appName: 'shop',
        hour: '2026-11-21T09:00:00.000Z',
        flagmeter: { yes: 3, no: 0, variants: {} },
        unleash: { yes: 3, no: 0, variants: {}, ...other },
      });
    });

  it('include sums of only one side', () => {
    const differences = differencesOf('f', [aUsage()], [aUsage({ environment: 'development' })]);
    expect(
      differences.map(({ environment, flagmeter, unleash }) => [environment, flagmeter?.yes, unleash?.yes]),
    ).to.deep.equal([
      ['development', undefined, 3],
      ['production', 3, undefined],
    ]);
  });
});

describe('evaluations that Unleash counts under default', () => {
  const variants = { blue: 3 };
  const staging = { environment: 'staging', yes: 1, no: 2, variants: {} };
  const sum = { environment: 'default', yes: 4, no: 2, variants };

  it('are no difference, if they are those of the other environments together', () => {
    const counted = [aUsage({ variants }), aUsage(staging)];
    expect(outcomeOf(counted, [aUsage(sum)])).to.deep.equal({
      differences: [],
      underDefault: { evaluations: 6, features: ['f'] },
    });
  });

  it('may be beside others', () => {
    const counted = [
      aUsage({ yes: 9, variants: { blue: 5, red: 4 } }),
      aUsage({ environment: 'default', no: 7 }),
    ];
    const stored = [
      aUsage({ yes: 6, variants: { blue: 2, red: 4 } }),
      aUsage({ environment: 'default', yes: 6, no: 7, variants }),
    ];
    expect(outcomeOf(counted, stored).underDefault).to.deep.equal({ evaluations: 3, features: ['f'] });
  });

  for (const [what, stored] of [
    ['fewer', { ...sum, yes: 3 }],
    ['more', { ...sum, no: 3 }],
    ['of another variant', { ...sum, variants: { red: 3 } }],
    ['of another application', { ...sum, appName: 'other' }],
    ['of another hour', { ...sum, hour: at('2026-11-21T10') }],
    ['under another environment', { ...sum, environment: 'development' }],
  ] as const)
    it(`are a difference, if they are ${what}`, () => {
      const counted = [aUsage({ variants }), aUsage(staging)];
      expect(outcomeOf(counted, [aUsage(stored)])).to.deep.include({
        underDefault: { evaluations: 0, features: [] },
      });
      expect(outcomeOf(counted, [aUsage(stored)]).differences).to.have.length(3);
    });

  it('are a difference, if Unleash lacks what flagmeter counted under default', () => {
    const counted = [aUsage({ environment: 'default' })];
    expect(outcomeOf(counted, [aUsage()]).differences).to.have.length(2);
  });

  function outcomeOf(...sides: [ReturnType<typeof aUsage>[], ReturnType<typeof aUsage>[]]) {
    return withoutUnderDefault(differencesOf('f', ...sides));
  }
});

describe('the excess of Unleash', () => {
  it('adds up evaluations too many and too few over all sums, without variants', () => {
    const differences = [
      ...differencesOf('f', [aUsage({ yes: 3, no: 5 })], [aUsage({ yes: 10, no: 4, variants: { a: 2 } })]),
      ...differencesOf('f', [aUsage({ yes: 1 })], []),
      ...differencesOf('f', [], [aUsage({ no: 20 })]),
    ];
    expect(excessOf(differences)).to.deep.equal({ tooMany: 7 + 23, tooFew: 1 + 1 });
  });
});

function aUsage(members: object = {}) {
  const variants: Record<string, number> = {};
  return {
    appName: 'shop',
    environment: 'production',
    hour: at('2026-11-21T09'),
    yes: 3,
    no: 0,
    variants,
    ...members,
  };
}
