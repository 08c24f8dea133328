import { expect } from 'chai';
import fc from 'fast-check';
import { chiSquareP } from '../../../../../services/console/pages/flags/feature/variants/significance.ts';
import { significanceWords } from '../../../../../services/console/state/sentences/index.ts';
import {
  noteOf,
  variantRows,
  weightsOf,
} from '../../../../../services/console/pages/flags/feature/variants/compared-variants.ts';

describe('the chi-square test', () => {
  // Upper critical values of the chi-square distribution, NIST/SEMATECH e-Handbook 1.3.6.7.4.
  for (const [degrees, statistic, p] of [
    [1, 3.841, 0.05],
    [1, 6.635, 0.01],
    [2, 5.991, 0.05],
    [3, 16.266, 0.001],
    [10, 15.987, 0.1],
    [99, 123.225, 0.05],
  ] as const)
    it(`agrees with the table: ${statistic} with ${degrees} degrees of freedom`, () => {
      // One class above and one below its expected count by the same amount, and others exactly as expected.
      const expected = 1000;
      const away = Math.sqrt((statistic * expected) / 2);
      const counts = [
        expected + away,
        expected - away,
        ...Array.from({ length: degrees - 1 }, () => expected),
      ];
      expect(
        chiSquareP(
          counts,
          Array.from(counts, () => 1),
        ),
      ).to.be.closeTo(p, p / 1000);
    });

  it('gives a probability, whatever the counts', () => {
    const count = fc.integer({ min: 0, max: 1_000_000_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(count, fc.integer({ min: 0, max: 1000 }))), (classes) => {
        const p = chiSquareP(
          classes.map(([counted]) => counted),
          classes.map(([, share]) => share),
        );
        if (p !== undefined) expect(p).to.be.within(0, 1 + 1e-9);
      }),
    );
  });

  it('is sure of counts exactly as expected, and of any count where none may be', () => {
    expect(chiSquareP([500, 500], [1, 1])).to.equal(1);
    expect(chiSquareP([500, 1], [1, 0])).to.equal(0);
  });

  it('says nothing of one class, no counts, or few', () => {
    expect(chiSquareP([500], [1])).to.equal(undefined);
    expect(chiSquareP([], [])).to.equal(undefined);
    expect(chiSquareP([0, 0], [1, 1])).to.equal(undefined);
    expect(chiSquareP([4, 4], [1, 1])).to.equal(undefined);
  });

  it('is told in words', () => {
    expect([0.412, 0.01, 0.0034, 0.0001].map(significanceWords)).to.deep.equal([
      'as configured: p = 0.41',
      'as configured: p = 0.01',
      'differs: p = 0.003',
      'differs: p < 0.001',
    ]);
  });
});

describe('variants', () => {
  const blue = { name: 'blue', weight: 500 };
  const red = { name: 'red', weight: 500 };
  const served = (group: string | null, count: number) => ({
    group,
    yes: [],
    no: [],
    unknown: [],
    served: [count, null],
  });

  it('have the weights on which all strategies agree', () => {
    expect(weightsOf([])).to.equal('none');
    expect(weightsOf([{ variants: [] }, { disabled: true, variants: [blue] }])).to.equal('none');
    expect(weightsOf([{ variants: [red, blue] }, { variants: [blue, red] }])).to.deep.equal(
      new Map([
        ['blue', 500],
        ['red', 500],
      ]),
    );
    expect(weightsOf([{ variants: [blue, red] }, { variants: [blue] }])).to.equal('several');
  });

  it('are listed if they are configured or served', () => {
    const series = [served('blue', 300), served('old', 7), served(null, 1), served('gone', 0)];
    expect(variantRows(series, weightsOf([{ variants: [blue, red] }]))).to.deep.equal([
      { name: 'blue', weight: 500, served: 300 },
      { name: 'red', weight: 500, served: 0 },
      { name: 'old', weight: undefined, served: 7 },
      { name: null, weight: undefined, served: 1 },
    ]);
  });

  it('differ if one was never served', () => {
    const rows = variantRows([served('blue', 300)], weightsOf([{ variants: [blue, red] }]));
    expect(noteOf(rows)).to.equal('differs: p < 0.001');
    expect(noteOf(variantRows([served('blue', 300)], 'none'))).to.equal(undefined);
  });
});
