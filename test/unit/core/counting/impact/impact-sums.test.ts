import { expect } from 'chai';
import fc from 'fast-check';
import { type Block, DuplicateWindow, type GaugeState, ImpactSums, buildBlock } from '#core/counting';
import { RECEIVED_AT, aCounter, aCountsValue, aHistogram } from '../../../../support/builders/builders.ts';

describe('the samples of a block', () => {
  it('add up by series', () => {
    const { series } = blockOf([aCounter()], [aCounter(), aCounter({ name: 'returns' })]).impact;
    expect(series.map(({ name, samples, total }) => [name, samples, total])).to.deep.equal([
      ['purchases', 2, 34_000_000_000n],
      ['returns', 1, 17_000_000_000n],
    ]);
  });

  it('add up histograms with different bounds', () => {
    const wide = { count: 4, sum: 3, buckets: [{ le: 0.5, count: 4 }], labels: LABELS };
    const { series } = blockOf([aHistogram(), aHistogram({ samples: [wide] })]).impact;
    expect(series[0]).to.deep.include({ observations: 10n, total: 5_250_000_000n });
    expect([...(series[0]?.buckets ?? [])]).to.deep.equal([
      ['0.1', 2n],
      ['0.5', 7n],
      ['+Inf', 1n],
    ]);
  });

  it('take no longer for a histogram because it has had many bounds', () => {
    const sums = new ImpactSums();
    const { user: before } = process.cpuUsage();
    for (let n = 0; n < 2000; n += 1) {
      const buckets = Array.from({ length: 50 }, (_, index) => ({ bound: `${n * 50 + index}`, count: 1 }));
      const value = { type: 'histogram', total: 1n, observations: 50, buckets } as const;
      sums.add({ received: 1, samples: [{ ...SERIES, ...value }] }, RECEIVED_AT);
    }
    expect(sums.result().series[0]?.buckets.size).to.equal(100_000);
    expect((process.cpuUsage().user - before) / 1000).to.be.lessThan(2000);
  });

  it('take the later of two values that one batch has for a gauge, as Unleash does', () => {
    const { gauges } = blockOf([aCounter({ type: 'gauge', samples: [{ value: 19 }, { value: 6 }] })]).impact;
    expect(gauges.map(({ last, lowest, highest }) => [last, lowest, highest])).to.deep.equal([[6, 6, 19]]);
  });

  it('keep the last, lowest and highest value of a gauge', () => {
    const gauge = (value: number) => [aCounter({ type: 'gauge', samples: [{ value }] })];
    const { gauges, series } = blockOf(gauge(3), gauge(9), gauge(1), gauge(4)).impact;
    expect(gauges.map(({ last, lowest, highest }) => [last, lowest, highest])).to.deep.equal([[4, 1, 9]]);
    expect(series).to.deep.equal([]);
  });

  it('keep the value of the later batch of a gauge, and of the same millisecond the greater one', () => {
    for (const [earlier, later, last] of [
      [{ at: 1, value: 9 }, { at: 2, value: 3 }, 3],
      [{ at: 1, value: 3 }, { at: 2, value: 9 }, 9],
      [{ at: 2, value: 3 }, { at: 2, value: 9 }, 9],
    ] as const)
      for (const order of [
        [earlier, later],
        [later, earlier],
      ])
        expect(gaugesOf(order).map((gauge) => [gauge.at, gauge.last])).to.deep.equal([[later.at, last]]);
  });

  it('keep gauges apart that differ in anything but their value', () => {
    const others = [
      { name: 'other' },
      { appName: 'other' },
      { environment: 'other' },
      { instanceId: 'other' },
      { hour: 7 },
      { labelNames: ['size'], labelValues: ['L'] },
      { labelNames: ['size'], labelValues: ['M'] },
    ];
    const samples = [{}, ...others].map((members) => ({ at: 1, value: 1, ...members }));
    expect(gaugesOf(samples)).to.have.length(samples.length);
    expect(gaugesOf([...samples, ...samples])).to.have.length(samples.length);
  });

  it('add up by hour and by day', () => {
    const sums = new ImpactSums();
    for (const [hour, total] of [
      [23, 1n],
      [24, 10n],
      [25, 100n],
      [25, 1000n],
    ] as const) {
      const histogram = { type: 'histogram', total, observations: 2, buckets: [] } as const;
      sums.add({ received: 1, samples: [{ ...SERIES, hour, ...histogram }] }, 0);
    }
    const { hours, days } = sums.result();
    const first = { samples: 1n, total: 1n, observations: 2n };
    expect([...hours]).to.deep.equal([
      [23, first],
      [24, { ...first, total: 10n }],
      [25, { samples: 2n, total: 1100n, observations: 4n }],
    ]);
    expect([...days]).to.deep.equal([
      [0, first],
      [1, { samples: 3n, total: 1110n, observations: 6n }],
    ]);
  });

  it('count a repeated batch once', () => {
    const { impact } = blockOf([aCounter()], 'again');
    expect(impact.tally).to.deep.equal({ received: 2, counted: 1, refused: 0, duplicate: 1 });
    expect(impact.series[0]?.total).to.equal(17_000_000_000n);
  });

  it('tell received from counted and refused samples', () => {
    const { impact, tally, refusals } = blockOf([aCounter(), aCounter({ type: 'summary' })]);
    expect(impact.tally).to.deep.equal({ received: 2, counted: 1, refused: 1, duplicate: 0 });
    expect(tally).to.deep.include({ received: 1, refused: 0 });
    expect(refusals.map(({ kind, reason }) => [kind, reason])).to.deep.equal([['sample', 'invalid_sample']]);
  });

  it('do not depend on the order of the messages', () => {
    const counters = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(counters, (values) => {
        const sent = values.map((value) => [aCounter({ samples: [{ value }] })]);
        const totals = [sent, sent.toReversed()].map((order) => blockOf(...order).impact.series[0]?.total);
        expect(totals[0]).to.equal(totals[1]);
      }),
    );
  });
});

const LABELS = { 'new-basket': 'blue', appName: 'checkout' };

const SERIES = {
  name: 'load',
  help: '',
  appName: 'shop',
  environment: 'production',
  instanceId: 'shop-1',
  hour: 1,
  labelNames: [],
  labelValues: [],
};

/** The gauges of batches with one sample each; `at`: the receipt time of the batch. */
function gaugesOf(
  samples: readonly { readonly at: number; readonly value: number }[],
): readonly GaugeState[] {
  const sums = new ImpactSums();
  for (const { at, ...sample } of samples)
    sums.add({ received: 1, samples: [{ ...SERIES, type: 'gauge', ...sample }] }, at);
  return sums.result().gauges;
}

/** A block of a message for each list of impact metrics; `again` repeats the batch before. */
function blockOf(...bodies: readonly (readonly unknown[] | 'again')[]): Block {
  let batchId = '';
  const messages = bodies.map((impactMetrics, index) => {
    const isNew = impactMetrics !== 'again';
    if (isNew) batchId = `batch ${index}`;
    const sent = isNew ? impactMetrics : bodies[index - 1];
    const value = aCountsValue({ batchId, receivedAt: RECEIVED_AT + index, impactMetrics: sent });
    return { offset: BigInt(index), value, appendedAt: RECEIVED_AT };
  });
  const range = { topic: 'counts', epoch: 1, partition: 0, from: 0n, to: BigInt(messages.length) };
  return buildBlock(range, messages, { duplicates: new DuplicateWindow(45_000) }).block;
}
