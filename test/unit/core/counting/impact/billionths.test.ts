import { expect } from 'chai';
import fc from 'fast-check';
import { numberOfBillionths } from '#core/counting';
import { MAX_VALUE, billionthsOf } from '../../../../../packages/core/counting/impact/billionths.ts';

describe('billionths', () => {
  it('are exact for values with nine decimals', () => {
    for (const [value, billionths] of [
      [0.1, 100_000_000n],
      [-2.5, -2_500_000_000n],
      [1e15, 1_000_000_000_000_000_000_000_000n],
      [0.000000001, 1n],
      [0, 0n],
      [-0, 0n],
    ] as const)
      expect(billionthsOf(value)).to.equal(billionths);
  });

  it('give back the value, to half a billionth and the precision of its number', () => {
    const values = fc.double({ min: -MAX_VALUE, max: MAX_VALUE, noNaN: true });
    fc.assert(
      fc.property(values, (value) => {
        const error = Math.abs(numberOfBillionths(billionthsOf(value)) - value);
        expect(error).to.be.at.most(6e-10 + Math.abs(value) * Number.EPSILON);
      }),
    );
  });
});
