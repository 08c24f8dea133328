import { expect } from 'chai';
import { VariantTotals } from '../../../../services/unleash-bridge/mirror/posts/variant-totals.ts';

const HOUR_MS = 3_600_000;
const INT4 = 2 ** 31;

describe('the totals of variants', () => {
  it('stay below 2^31, however a count is split', () => {
    const totals = new VariantTotals();
    const admitted = Array.from({ length: 40 }, () => admit(totals, 100_000_000)).reduce((a, b) => a + b);

    expect(admitted).to.be.within(900_000_000, INT4 - 1);
    expect(admit(totals, INT4)).to.equal(0);
    expect(admit(totals, 65_535)).to.equal(65_535);
  });

  it('are counted for each feature, application, environment, hour and variant', () => {
    const totals = new VariantTotals();
    const others = [
      { featureName: 'other' },
      { appName: 'other' },
      { environment: 'other' },
      { timestamp: '2026-11-21T11:00:00.000Z' },
    ];

    expect(admit(totals, 2 ** 30)).to.equal(2 ** 30);
    expect(admit(totals, 2 ** 30)).to.equal(0);
    for (const other of others) expect(admit(totals, 2 ** 30, other)).to.equal(2 ** 30);
  });

  it('do not affect the other variants of a row and its evaluations', () => {
    const totals = new VariantTotals();
    const leftOut: string[] = [];
    const row = aRow({ variants: { blue: INT4, red: 7 } });

    expect(totals.admit(row, 0, () => leftOut.push('blue'))).to.deep.equal({ ...row, variants: { red: 7 } });
    expect(leftOut).to.deep.equal(['blue']);
  });

  it('admit no large count that they cannot remember, until Unleash has deleted older hours', () => {
    const totals = new VariantTotals();
    for (let index = 0; index < 20_000; index += 1) admit(totals, 65_536, { featureName: String(index) });

    expect(admit(totals, 65_536, { featureName: 'one more' })).to.equal(0);
    expect(admit(totals, 65_535, { featureName: 'one more' })).to.equal(65_535);
    expect(admit(totals, 65_536, { featureName: '0' })).to.equal(65_536);
    const later = totals.admit(aRow({ variants: { blue: 65_536 } }), 62 * HOUR_MS, () => undefined);
    expect(later.variants).to.deep.equal({ blue: 65_536 });
  });
});

function admit(totals: VariantTotals, count: number, members: object = {}): number {
  const row = { ...aRow({ variants: { blue: count } }), ...members };
  return totals.admit(row, 0, () => undefined).variants['blue'] ?? 0;
}

function aRow({ variants }: { variants: Record<string, number> }) {
  return {
    featureName: 'new-basket',
    appName: 'checkout',
    environment: 'production',
    timestamp: '2026-11-21T10:00:00.000Z',
    yes: 1,
    no: 0,
    variants,
  };
}
