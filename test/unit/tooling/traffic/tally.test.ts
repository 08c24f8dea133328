import { expect } from 'chai';
import fc from 'fast-check';
import { Tally } from '../../../../packages/tooling/traffic/load/tally.ts';

const SUMS = { rows: 1, yes: 1, no: 0, variants: 0 };

function tallyOf(latenciesMs: readonly number[]): Tally {
  const tally = new Tally();
  for (const latencyMs of latenciesMs) tally.record({ status: 202 }, SUMS, latencyMs);
  return tally;
}

describe('Tally', () => {
  it('reports every percentile of the latency within 1/1000 of the exact one', () => {
    const latencies = fc.array(
      fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 2 ** 31 })),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(latencies, (microseconds) => {
        const { latency } = tallyOf(microseconds.map((value) => value / 1000));
        const sorted = microseconds.toSorted((a, b) => a - b);
        for (const percentile of [1, 50, 95, 99, 99.9, 100]) {
          const rank = Math.max(1, Math.round((percentile / 100) * sorted.length));
          const exact = sorted[rank - 1] ?? 0;
          expect(latency.percentile(percentile)).to.be.within(exact, Math.floor(exact * 1.001));
        }
      }),
    );
  });

  it('counts latencies beyond its range as the shortest or the longest one', () => {
    expect(tallyOf([0]).latency.max).to.equal(1);
    expect(tallyOf([1e12]).latency.max / 2 ** 32).to.be.within(0.999, 1.001);
  });

  it('reports 0 before the first answer', () => {
    expect(tallyOf([]).latency.percentile(99)).to.equal(0);
  });
});
