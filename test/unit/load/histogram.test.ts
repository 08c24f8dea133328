import { expect } from 'chai';
import fc from 'fast-check';
import { Histogram } from '../../../packages/load/histogram.ts';

const SHARES = [0.01, 0.5, 0.95, 0.99, 0.999, 1];

describe('Histogram', () => {
  it('returns every quantile within 1/128 of the exact one, never below it', () => {
    const values = fc.array(fc.oneof(fc.nat(300), fc.nat(1_000_000), fc.nat(2 ** 31 - 1)), { minLength: 1 });
    fc.assert(
      fc.property(values, (recorded) => {
        const histogram = new Histogram();
        for (const value of recorded) histogram.record(value);
        const sorted = recorded.toSorted((a, b) => a - b);
        for (const share of SHARES) {
          const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? 0;
          expect(histogram.quantile(share)).to.be.within(exact, Math.floor(exact * (1 + 1 / 128)));
        }
      }),
    );
  });

  it('knows the largest value exactly, and how many there are', () => {
    const histogram = new Histogram();
    for (const value of [3, 1_234_567, 77]) histogram.record(value);
    expect([histogram.max, histogram.quantile(1), histogram.total]).to.deep.equal([1_234_567, 1_234_567, 3]);
  });

  it('takes values beyond its range as the largest that it has', () => {
    const histogram = new Histogram();
    histogram.record(1e15);
    expect(histogram.quantile(1)).to.equal(2 ** 32 - 1);
  });

  it('is 0 of nothing', () => {
    expect(new Histogram().quantile(0.99)).to.equal(0);
  });
});
