import { expect } from 'chai';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { aCounter, aHistogram } from '../../../support/builders/builders.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

/** Half of the observations are up to 1, the others between 2.5 and 5. */
const SECONDS = aHistogram({
  name: 'seconds',
  samples: [
    {
      count: 100,
      sum: 200,
      labels: { 'new-basket': 'blue', appName: 'checkout' },
      buckets: [
        { le: 1, count: 50 },
        { le: 2.5, count: 50 },
        { le: 5, count: 100 },
        { le: '+Inf', count: 100 },
      ],
    },
  ],
});

describe('the impact of a feature', () => {
  const world = sharedWorld();
  before(async () => {
    const ingest = await startCounting(world);
    const counted = { blue: 30, enabled: 12, disabled: 12 };
    const samples = Object.entries(counted).map(([arm, value]) => ({
      value,
      labels: { appName: 'checkout', 'new-basket': arm },
    }));
    // SDKs count a variant named disabled for each evaluation without one, whether the feature was enabled or not.
    const metrics = [aFreshMetric({ yes: 60, no: 60, variants: { blue: 40, disabled: 80 } })];
    const body = bodyOf({ metrics, impactMetrics: [aCounter({ samples }), SECONDS] });
    expect((await post(ingest, { body })).status).to.equal(202);
    await untilCounted(world);
  });

  it('compares arms by their evaluations, each of which counts for one arm', async () => {
    const rows = await world.query(
      `select arm, control, exposures, per_exposure, round(ratio, 9) as ratio
       from feature_impact(since = now('UTC') - interval 2 hour, until = now('UTC') + interval 1 hour)
       where feature_name = 'new-basket'
         and metric_type = 'counter'
       order by arm`,
    );
    const control = 'disabled';
    expect(rows).to.deep.equal([
      { arm: 'blue', control, exposures: '40', per_exposure: 0.75, ratio: 3.75 },
      { arm: 'disabled', control, exposures: '60', per_exposure: 0.2, ratio: 1 },
      { arm: 'enabled', control, exposures: '20', per_exposure: 0.6, ratio: 3 },
    ]);
  });

  it('has percentiles as Prometheus estimates them, also beside a bucket without observations', async () => {
    const rows = await world.query(
      `select p50, round(p95, 9) as p95, round(p99, 9) as p99
       from feature_impact(since = now('UTC') - interval 2 hour, until = now('UTC') + interval 1 hour)
       where metric_name = 'seconds'`,
    );
    expect(rows).to.deep.equal([{ p50: 1, p95: 4.75, p99: 4.95 }]);
  });
});
