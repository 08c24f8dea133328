import { expect } from 'chai';
import { sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { aCounter, aHistogram, aMetric } from '../../../support/builders/builders.ts';
import { hoursAgo, storeHours } from '../../../support/senders/impact.ts';

const APP = 'checkout';

/** Two of six observations are up to 0.1, and five up to 0.5. */
const OBSERVED = aHistogram({
  samples: [
    {
      count: 6,
      sum: 2.25,
      labels: { 'new-basket': 'blue', appName: APP, environment: 'production' },
      buckets: [
        { le: 0.1, count: 2 },
        { le: 0.5, count: 5 },
        { le: '+Inf', count: 6 },
      ],
    },
  ],
});

type Count = number | null;

const sumOf = (counts: Count[]) => counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
const iso = (ms: number) => new Date(ms).toISOString();

describe('impact of a feature', () => {
  const world = sharedCountedAdminWorld();
  before(async () => {
    const labels = (arm: string, app = APP) => ({
      'new-basket': arm,
      appName: app,
      environment: 'production',
    });
    const errors = (enabled: number, disabled: number) =>
      aCounter({
        name: 'errors',
        help: 'Failed orders',
        samples: [
          { value: enabled, labels: labels('enabled') },
          { value: disabled, labels: labels('disabled') },
        ],
      });
    const load = aCounter({ name: 'load', type: 'gauge', samples: [{ value: 7, labels: labels('blue') }] });
    const old = aCounter({ samples: [{ value: 5, labels: labels('blue', 'other') }] });
    const visits = { value: 5, labels: { country: 'dk', environment: 'production' } };
    // SDKs count a variant named disabled for each evaluation without one.
    const variants = { disabled: 1100 };
    await storeHours(world, [
      [
        hoursAgo(3),
        {
          metrics: [aMetric({ appName: APP, yes: 600, no: 500, variants })],
          impactMetrics: [errors(40, 10)],
        },
      ],
      [
        hoursAgo(1),
        {
          metrics: [
            aMetric({ appName: APP, yes: 400, no: 500 }),
            aMetric({ appName: 'other', yes: 12, no: 0, variants: { blue: 9, disabled: 3 } }),
          ],
          impactMetrics: [errors(20, 20), OBSERVED, load, aCounter({ name: 'visits', samples: [visits] })],
        },
      ],
      [hoursAgo(30), { impactMetrics: [old] }],
    ]);
  });

  async function ask(path: string, query: Record<string, string>): Promise<Record<string, unknown>> {
    const { status, body } = await world.api.get(
      `/api/admin/${path}?${new URLSearchParams(query).toString()}`,
    );
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    return body as Record<string, unknown>;
  }

  const WINDOW = { interval: 'hour', from: iso(hoursAgo(4)), to: iso(hoursAgo(0)) };
  const IMPACT = 'client-metrics/features/new-basket/impact';
  const IN_PRODUCTION = { environment: 'production', application: APP };

  it('compares each arm with the control', async () => {
    const { comparisons, ...rest } = await ask(IMPACT, { metric: 'errors', ...WINDOW });
    expect(rest).to.include({ feature: 'new-basket', total: 1, from: WINDOW.from, to: WINDOW.to });
    const [comparison] = comparisons as Record<string, unknown>[];
    expect(comparison).to.include({
      metric: 'errors',
      type: 'counter',
      environment: 'production',
      application: APP,
      control: 'disabled',
      totalArms: 2,
    });
    const [control, enabled] = (comparison?.['arms'] ?? []) as Record<string, number>[];
    expect(control).to.include({ arm: 'disabled', exposures: 1000, value: 30, perExposure: 0.03, ratio: 1 });
    expect(control).to.include({ ratioLow: null, pValue: null, quantiles: null });
    expect(enabled).to.include({ arm: 'enabled', exposures: 1000, value: 60, perExposure: 0.06, ratio: 2 });
    // sqrt(1 / 60 + 1 / 30) is 0.2236; ln 2 is 3.1 times as much.
    expect(enabled?.['ratioLow']).to.be.closeTo(1.29, 0.005);
    expect(enabled?.['ratioHigh']).to.be.closeTo(3.1, 0.005);
    expect(enabled?.['pValue']).to.be.closeTo(0.00194, 0.00001);
  });

  it('has quantiles of histograms, and lists only what was measured in the window', async () => {
    const { comparisons } = await ask(IMPACT, WINDOW);
    const found = comparisons as { metric: string; arms: { quantiles: Record<string, number> | null }[] }[];
    expect(found.map(({ metric }) => metric)).to.deep.equal(['errors', 'response_seconds']);
    const { p50, p95 } = found[1]?.arms[0]?.quantiles ?? {};
    expect(p50).to.be.closeTo(0.1 + 0.4 / 3, 1e-9);
    expect(p95).to.equal(0.5);
  });

  it('has the samples and exposures of each arm by hour', async () => {
    const series = await ask(`${IMPACT}/errors`, { ...IN_PRODUCTION, ...WINDOW });
    expect(series['starts']).to.deep.equal([4, 3, 2, 1].map((hours) => iso(hoursAgo(hours))));
    expect(series['knownFrom']).to.equal(iso(hoursAgo(3)));
    expect(series['arms']).to.deep.equal([
      {
        arm: 'disabled',
        exposures: [null, 500, 0, 500],
        values: [null, 10, 0, 20],
        observations: [null, 0, 0, 0],
      },
      {
        arm: 'enabled',
        exposures: [null, 600, 0, 400],
        values: [null, 40, 0, 20],
        observations: [null, 0, 0, 0],
      },
    ]);
  });

  it('has days of all environments and of the applications that send the metric', async () => {
    const { arms } = await ask(`${IMPACT}/errors`, { from: iso(hoursAgo(48)) });
    const sums = (arms as { arm: string; exposures: Count[]; values: Count[] }[]).map(
      ({ arm, exposures, values }) => [arm, sumOf(exposures), sumOf(values)],
    );
    expect(sums).to.deep.equal([
      ['disabled', 1000, 30],
      ['enabled', 1000, 60],
    ]);
  });

  it('is empty for a feature that no metric names', async () => {
    const { comparisons, total } = await ask('client-metrics/features/nothing/impact', WINDOW);
    expect({ comparisons, total }).to.deep.equal({ comparisons: [], total: 0 });
  });

  it('rejects a window that is empty or has too many buckets', async () => {
    const windows: Record<string, string>[] = [
      { from: iso(hoursAgo(1)), to: iso(hoursAgo(2)) },
      { from: '2001-01-01T00:00:00Z', interval: 'hour' },
    ];
    for (const window of windows) {
      const query = new URLSearchParams(window).toString();
      const { status } = await world.api.get(`/api/admin/${IMPACT}?${query}`);
      expect(status).to.equal(400);
    }
  });

  it('lists the impact metrics with their senders, features, series and values of a day', async () => {
    const { total, impactMetrics } = await ask('metrics/impact-metrics', {});
    const found = (impactMetrics as Record<string, unknown>[]).map(
      ({ metric, type, applications, features, series, value, observations }) => [
        metric,
        type,
        applications,
        features,
        series,
        value,
        observations,
      ],
    );
    expect(total).to.equal(5);
    expect(found).to.deep.equal([
      ['errors', 'counter', [APP], ['new-basket'], 2, 90, 0],
      ['load', 'gauge', [APP], ['new-basket'], 1, 7, 0],
      ['purchases', 'counter', ['other'], ['new-basket'], 0, null, 0],
      ['response_seconds', 'histogram', [APP], ['new-basket'], 1, 2.25, 6],
      ['visits', 'counter', ['unknown'], [], 1, 5, 0],
    ]);
    expect((impactMetrics as object[])[0]).to.include({
      help: 'Failed orders',
      environment: 'production',
      totalFeatures: 1,
      firstHour: iso(hoursAgo(3)),
      lastHour: iso(hoursAgo(1)),
    });
  });

  it('lists those with a label of a feature, up to a limit', async () => {
    const { total, impactMetrics } = await ask('metrics/impact-metrics', {
      feature: 'new-basket',
      limit: '1',
    });
    expect(total).to.equal(4);
    expect(impactMetrics).to.have.length(1);
    expect(await ask('metrics/impact-metrics', { environment: 'elsewhere' })).to.include({ total: 0 });
  });
});
