import { expect } from 'chai';
import { aCounter } from '../../support/builders/builders.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

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
    const body = bodyOf({ metrics, impactMetrics: [aCounter({ samples })] });
    expect((await post(ingest, { body })).status).to.equal(202);
    await world.settled();
  });

  it('compares arms by their evaluations, each of which counts for one arm', async () => {
    const rows = await world.query(
      `select arm, control, exposures, per_exposure, round(ratio, 9) as ratio
       from feature_impact(since = now('UTC') - interval 2 hour, until = now('UTC') + interval 1 hour)
       where feature_name = 'new-basket'
       order by arm`,
    );
    const control = 'disabled';
    expect(rows).to.deep.equal([
      { arm: 'blue', control, exposures: '40', per_exposure: 0.75, ratio: 3.75 },
      { arm: 'disabled', control, exposures: '60', per_exposure: 0.2, ratio: 1 },
      { arm: 'enabled', control, exposures: '20', per_exposure: 0.6, ratio: 3 },
    ]);
  });
});
