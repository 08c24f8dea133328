import { expect } from 'chai';
import { MAX_BUCKETS, readImpactValue } from '../../../../../packages/core/counting/impact/impact-value.ts';

describe('readImpactValue', () => {
  it('takes a counter that stands still', () => {
    expect(readImpactValue('counter', { value: 0 })).to.deep.equal({ type: 'counter', total: 0n });
  });

  for (const [text, value] of [
    ['3', 3],
    [' 2.5 ', 2.5],
    ['1e3', 1000],
  ] as const)
    it(`takes the number of the text "${text}"`, () => {
      expect(readImpactValue('gauge', { value: text })).to.deep.equal({ type: 'gauge', value });
      expect(readImpactValue('counter', { value: text })).to.deep.equal(
        readImpactValue('counter', { value }),
      );
    });

  for (const value of [null, true, '', ' ', 'NaN', 'Infinity', [7], { value: 7 }])
    it(`refuses the value ${JSON.stringify(value)}`, () => {
      for (const type of ['counter', 'gauge'] as const)
        expect(readImpactValue(type, { value })).to.have.property('reason', 'invalid_sample');
    });

  it('takes the numbers of the texts of a histogram', () => {
    const texts = { count: '6', sum: '1', buckets: [{ le: '1', count: '2' }] };
    expect(readHistogram(texts)).to.deep.equal(readHistogram({ buckets: [bucket(1, 2)] }));
  });

  it('refuses a gauge that is text', () => {
    expect(readImpactValue('gauge', { value: 'x' })).to.deep.equal(invalid('value: x'));
  });

  it('gives a histogram without buckets the last one', () => {
    expect(readHistogram({ buckets: [] })).to.deep.include({ buckets: [{ bound: '+Inf', count: 6 }] });
  });

  it('takes the observations above the last bound from the count', () => {
    expect(readHistogram({ buckets: [bucket(1, 2)] })).to.deep.include({
      buckets: [
        { bound: '1', count: 2 },
        { bound: '+Inf', count: 4 },
      ],
    });
  });

  it('puts buckets in the order of their bounds', () => {
    const sent = [bucket('+Inf', 6), bucket(10, 5), bucket(2, 3), bucket(-1, 1)];
    expect(readHistogram({ buckets: sent })).to.deep.include({
      buckets: [
        { bound: '-1', count: 1 },
        { bound: '2', count: 2 },
        { bound: '10', count: 2 },
        { bound: '+Inf', count: 1 },
      ],
    });
  });

  it('takes as many buckets as allowed', () => {
    const sent = Array.from({ length: MAX_BUCKETS }, (_, index) => bucket(index, 6));
    expect(readHistogram({ buckets: sent }))
      .to.have.property('buckets')
      .with.length(MAX_BUCKETS + 1);
  });

  for (const [what, members, problem] of [
    ['half an observation', { count: 0.5 }, 'count: 0.5'],
    ['a sum that is text', { sum: 'x' }, 'sum: x'],
    ['a sum too large to add up', { sum: -1e16 }, 'sum: -10000000000000000'],
    ['buckets that are no list', { buckets: 'x' }, 'buckets: x'],
  ] as const)
    it(`refuses a histogram with ${what}`, () => {
      expect(readHistogram(members)).to.deep.equal(invalid(problem));
    });

  for (const [what, buckets] of [
    ['no object', [null]],
    ['without a count', [{ le: 1 }]],
    ['with half an observation', [bucket(1, 0.5)]],
    ['with a bound that is text', [bucket('x', 2)]],
    ['with a bound that is null', [bucket(null, 2)]],
    ['without a bound', [bucket(undefined, 2)]],
    ['with a bound that is not a number', [bucket(Number.NaN, 2)]],
    ['with fewer observations than the one before', [bucket(1, 2), bucket(2, 1)]],
    ['with more observations than the histogram', [bucket('+Inf', 7)]],
    ['with the bound of another', [bucket(1, 2), bucket(1, 2)]],
  ] as const)
    it(`refuses a histogram with a bucket ${what}`, () => {
      expect(readHistogram({ buckets })).to.deep.equal(invalid('buckets that do not grow to the count'));
    });
});

function readHistogram(members: Readonly<Record<string, unknown>>) {
  return readImpactValue('histogram', { count: 6, sum: 1, buckets: [], ...members });
}

function bucket(le: unknown, count: number) {
  return { le, count };
}

function invalid(sample: string) {
  return { reason: 'invalid_sample', sample };
}
