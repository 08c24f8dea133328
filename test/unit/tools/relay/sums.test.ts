import { expect } from 'chai';
import { createLedger, sumMetrics } from '../../../../tools/relay/index.ts';
import { aRelayBatch, aRelayMetric } from './builders.ts';

const HOUR = Date.UTC(2026, 10, 21, 10) / 3_600_000;

describe('sumMetrics', () => {
  it('adds up the metrics of an hour, with their variants', () => {
    const sums = sumMetrics([
      aRelayMetric({ timestamp: '2026-11-21T10:00:00Z', yes: 1, variants: { blue: 1 } }),
      aRelayMetric({ timestamp: '2026-11-21T10:59:59.999Z', yes: 2, no: 3, variants: { blue: 1, red: 1 } }),
    ]);
    const variants = new Map([
      ['blue', 2],
      ['red', 1],
    ]);
    const key = { featureName: 'new-basket', appName: 'checkout', environment: 'production' };
    expect(sums).to.deep.equal([{ ...key, hour: HOUR, yes: 3, no: 3, reports: 2, variants }]);
  });

  it('keeps hours apart', () => {
    const metrics = [aRelayMetric({}), aRelayMetric({ timestamp: '2026-11-21T11:00:00Z' })];
    expect(sumMetrics(metrics).map(({ hour }) => hour)).to.deep.equal([HOUR, HOUR + 1]);
  });
});

describe('the ledger', () => {
  it('counts only acknowledged metrics', () => {
    const ledger = createLedger();
    for (const outcome of ['acknowledged', 'dropped', 'merged-back', 'unknown'] as const) {
      const metrics = [aRelayMetric({ featureName: outcome })];
      ledger.open('production', aRelayBatch({ metrics }), 100).settle(outcome);
    }
    expect(ledger.acknowledged().map(({ featureName }) => featureName)).to.deep.equal(['acknowledged']);
    expect(ledger.metricsOf('unknown')).to.have.lengthOf(1);
  });

  it('counts a request without an outcome as unknown', () => {
    const ledger = createLedger();
    ledger.open('production', aRelayBatch({ metrics: [aRelayMetric({})] }), 100);
    expect(ledger.deliveries.map(({ outcome }) => outcome)).to.deep.equal(['unknown']);
    expect(ledger.acknowledged()).to.deep.equal([]);
  });
});
