import { expect } from 'chai';
import { setTimeout as sleep } from 'node:timers/promises';
import { aCounter, aHistogram } from '../../support/builders/builders.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { sharedCounting } from '../../support/stories/counting.ts';
import { FRONTEND_TOKEN, sharedWorld } from '../../support/world.ts';

const NOW = Math.floor(Date.now() / 3_600_000) * 3_600_000;
const DAY_MS = 86_400_000;
const OF_INSTANCE = { 'unleash-appname': 'shop', 'unleash-instanceid': 'shop-1' };

/** The Java SDK sends it in each interval without evaluations. */
const JAVA_BUCKET = { start: '1970-01-01T00:00:00Z', stop: '1970-01-01T00:00:00Z', toggles: {} };

const BUCKETS: Readonly<Record<string, unknown>> = {
  'an empty bucket of 1970': JAVA_BUCKET,
  'a bucket of a clock that is days ahead': bucketAt(NOW + 3 * DAY_MS),
  'a bucket of a clock that is months behind': bucketAt(NOW - 90 * DAY_MS),
  'a bucket that is null': null,
  'no bucket': undefined,
};

const OBSERVED = aHistogram({
  samples: [
    {
      count: 6,
      sum: 2.25,
      labels: { 'new-basket': 'blue', appName: 'checkout' },
      buckets: [
        { le: 0.1, count: 2 },
        { le: 0.2, count: 2 },
        { le: 0.5, count: 5 },
        { le: '+Inf', count: 6 },
      ],
    },
  ],
});

describe('impact metrics', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  before(async () => {
    const gauge = (value: number) => aCounter({ name: 'load', type: 'gauge', samples: [{ value }] });
    const metrics = [aFreshMetric({ yes: 40, variants: { blue: 40 } })];
    await send(bodyOf({ metrics, impactMetrics: [aCounter(), OBSERVED, gauge(3)] }));
    await sleep(2); // the receipt times of a gauge decide
    await send(bodyOf({ impactMetrics: [aCounter(), OBSERVED, gauge(1), { name: 'broken' }] }));
    await send(JSON.stringify({ appName: 'shop', instanceId: 'shop-1', impactMetrics: [gauge(7)] }), {
      path: '/api/client/metrics',
    });
    await send(JSON.stringify({ appName: 'web', bucket: null, impactMetrics: [aCounter()] }), {
      path: '/api/frontend/client/metrics',
      authorization: FRONTEND_TOKEN,
    });
    await untilCounted(world);
  });

  it('add up by hour and by day, under the labels of their SDK', async () => {
    for (const view of ['impact_by_hour', 'impact_by_day'])
      expect(
        await world.query(
          `select metric_name, metric_type, environment, app_name, labels['new-basket'] as arm, samples, value, observations
           from ${view}
           order by metric_name`,
        ),
      ).to.deep.equal([
        {
          metric_name: 'purchases',
          metric_type: 'counter',
          environment: 'production',
          app_name: 'checkout',
          arm: 'blue',
          samples: '3',
          value: 51,
          observations: '0',
        },
        {
          metric_name: 'response_seconds',
          metric_type: 'histogram',
          environment: 'production',
          app_name: 'checkout',
          arm: 'blue',
          samples: '2',
          value: 4.5,
          observations: '12',
        },
      ]);
  });

  it('have their buckets, alone and added up, also one without observations', async () => {
    expect(
      await world.query(
        `select if(isInfinite(bound), 'inf', toString(bound)) as up_to, observations, observations_up_to
         from impact_histograms_by_hour
         order by bound`,
      ),
    ).to.deep.equal([
      { up_to: '0.1', observations: '4', observations_up_to: '4' },
      { up_to: '0.2', observations: '0', observations_up_to: '4' },
      { up_to: '0.5', observations: '6', observations_up_to: '10' },
      { up_to: 'inf', observations: '2', observations_up_to: '12' },
    ]);
  });

  it('have the last, lowest and highest value of a gauge', async () => {
    expect(
      await world.query(
        `select app_name, instance_id, last_value, lowest, highest from gauges_by_hour order by app_name`,
      ),
    ).to.deep.equal([
      { app_name: 'shop', instance_id: 'shop-1', last_value: 7, lowest: 7, highest: 7 },
      { app_name: 'unknown', instance_id: '', last_value: 1, lowest: 1, highest: 3 },
    ]);
  });

  it('are listed with the features that their labels name', async () => {
    expect(
      await world.query(
        `select metric_name, metric_type, app_name, help, features
         from impact_metrics
         where metric_type != 'gauge'
         order by metric_name`,
      ),
    ).to.deep.equal([
      {
        metric_name: 'purchases',
        metric_type: 'counter',
        app_name: 'checkout',
        help: 'Completed purchases',
        features: ['new-basket'],
      },
      {
        metric_name: 'response_seconds',
        metric_type: 'histogram',
        app_name: 'checkout',
        help: 'Response times',
        features: ['new-basket'],
      },
    ]);
  });

  it('compare the arms of a feature with its evaluations', async () => {
    const rows = await world.query(
      `select metric_name, arm, control, exposures, value, round(per_exposure, 4) as per_exposure, round(p50, 4) as p50
       from feature_impact(since = toStartOfHour(now('UTC')) - interval 1 hour, until = now('UTC') + interval 1 hour)
       where feature_name = 'new-basket'
       order by metric_name`,
    );
    const arm = { arm: 'blue', control: 'blue', exposures: '40' };
    expect(rows).to.deep.equal([
      { metric_name: 'purchases', ...arm, value: 51, per_exposure: 1.275, p50: null },
      { metric_name: 'response_seconds', ...arm, value: 4.5, per_exposure: 0.3, p50: 0.3 },
    ]);
  });

  it('are refused with a reason if they do not fit, and the rest of the body counts', async () => {
    expect(await world.query('select kind, reason, feature_name, count, sample from refusals')).to.deep.equal(
      [
        {
          kind: 'sample',
          reason: 'invalid_sample',
          feature_name: 'broken',
          count: '1',
          sample: 'type: undefined',
        },
      ],
    );
    const [accounting] = await world.query(
      `select sum(samples_received) as received, sum(samples_counted) as counted, sum(samples_refused) as refused, min(is_balanced) as is_balanced
       from accounting`,
    );
    expect(accounting).to.deep.equal({ received: '9', counted: '8', refused: '1', is_balanced: true });
  });

  for (const [title, bucket] of Object.entries(BUCKETS))
    it(`count at their receipt beside ${title}`, async () => {
      const impactMetrics = [aCounter({ name: title, samples: [{ value: 7 }] })];
      const body = JSON.stringify({ appName: 'shop', instanceId: 'shop-1', bucket, impactMetrics });
      await send(body, { path: '/api/client/metrics' });
      await send(body, { path: '/api/frontend/client/metrics', authorization: FRONTEND_TOKEN });
      await untilCounted(world);
      expect(
        await world.query(
          `select abs(dateDiff('hour', hour, now('UTC'))) <= 1 as is_now, samples, value
           from impact_by_hour
           where metric_name = {title:String}`,
          { title },
        ),
      ).to.deep.equal([{ is_now: 1, samples: '2', value: 14 }]);
    });

  it('of equal bodies all count if an SDK sends an empty bucket of 1970 each time', async () => {
    const impactMetrics = [aCounter({ name: 'steady', samples: [{ value: 5 }] })];
    const body = JSON.stringify({ appName: 'shop', bucket: JAVA_BUCKET, impactMetrics });
    for (let i = 0; i < 3; i += 1) await send(body, { path: '/api/client/metrics', headers: OF_INSTANCE });
    expect(await valueOf('steady')).to.equal(15);
  });

  it('of a body that is sent again count once if its bucket has an exact end', async () => {
    const impactMetrics = [aCounter({ name: 'repeated', samples: [{ value: 5 }] })];
    const bucket = { ...JAVA_BUCKET, stop: new Date(NOW + 1).toISOString() };
    const body = JSON.stringify({ appName: 'shop', bucket, impactMetrics });
    for (let i = 0; i < 3; i += 1) await send(body, { path: '/api/client/metrics', headers: OF_INSTANCE });
    expect(await valueOf('repeated')).to.equal(5);
  });

  async function valueOf(name: string): Promise<unknown> {
    await untilCounted(world);
    const [row] = await world.query(
      'select sum(i.value) as value from impact_by_hour as i where metric_name = {name:String}',
      { name },
    );
    return row?.['value'];
  }

  async function send(body: string, parts: Parameters<typeof post>[1] = {}): Promise<void> {
    expect((await post(ingest, { ...parts, body })).status).to.equal(202);
  }
});

/** A bucket that ended then, with an evaluation. */
function bucketAt(at: number): unknown {
  const stop = new Date(at).toISOString();
  return { start: stop, stop, toggles: { checkout: { yes: 1, no: 0 } } };
}
