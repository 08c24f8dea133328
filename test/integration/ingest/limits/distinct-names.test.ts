import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { untilItLasts } from '../../../support/borders.ts';
import { readGauge } from '../../../support/stack/processes/gauges.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { sharedCounting } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const MAX_FEATURES = 150;

describe('a token that sends new names continuously', () => {
  const world = sharedWorld({ MAX_FEATURES_PER_HOUR: String(MAX_FEATURES), MAX_INSTANCES_PER_HOUR: '3' });
  const ingest = sharedCounting(world);

  before(async () => {
    await untilItLasts('hour', 60_000);
  });
  after(() => world.dispose());

  it('gets 202; names beyond the limit are refused and appear in the accounting', async () => {
    const usual = featuresOf(0, 400);
    const general = featuresOf(400, 100);
    const answers = [
      await post(ingest, { body: bodyOf({ metrics: usual }) }),
      await post(ingest, { body: JSON.stringify({ applications: [], metrics: general }, null, 2) }),
      await post(ingest, { body: bodyOf({ metrics: featuresOf(0, 100) }) }),
    ];
    const { total, ...accounting } = await world.settled();

    expect(answers.map(({ status }) => status)).to.deep.equal([202, 202, 202]);
    expect(findDifferences(accounting)).to.deep.equal([]);
    expect(total).to.include({ received: 600, counted: MAX_FEATURES + 100, refused: 500 - MAX_FEATURES });
    const [stored] = await world.query(
      'select toUInt32(uniqExact(feature_name)) as features from usage_by_hour',
    );
    expect(stored).to.deep.equal({ features: MAX_FEATURES });
  });

  it('writes a bounded number of refusals', async () => {
    const refusals = await world.query<{ reason: string; rows: number }>(
      `select reason, toUInt32(count()) as rows, toUInt32(sum(r.count)) as metrics
       from refusals as r
       group by reason`,
    );
    expect(refusals).to.have.length(1);
    expect(refusals[0]).to.include({ reason: 'too_many_features', metrics: 500 - MAX_FEATURES });
    expect(refusals[0]?.rows).to.be.within(2, 2 * 101);
  });

  it('shows in a gauge when it reaches the limit', async () => {
    const share = await readGauge(ingest, 'flagmeter_ingest_names_share{kind="feature"}');
    expect(share).to.equal(1);
  });

  it('registers instances up to the limit', async () => {
    const applications = Array.from({ length: 9 }, (_, index) => ({
      appName: 'app',
      instanceId: `instance-${index}`,
    }));
    const { status } = await post(ingest, { body: bodyOf({ applications }) });
    await world.settled();

    expect(status).to.equal(202);
    const refused = await world.query(
      `select toUInt32(sum(r.count)) as applications from refusals as r where reason = 'too_many_instances'`,
    );
    expect(refused).to.deep.equal([{ applications: 6 }]);
  });
});

describe('a token whose batches are refused', () => {
  const world = sharedWorld({ MAX_FEATURES_PER_HOUR: String(MAX_FEATURES) });
  const ingest = sharedCounting(world);

  before(async () => {
    await untilItLasts('hour', 60_000);
  });
  after(() => world.dispose());

  it('keeps all its quota for accepted batches', async () => {
    const metrics = JSON.stringify(featuresOf(0, MAX_FEATURES));
    const refused = [
      await post(ingest, { body: `{"applications":[{}],"metrics":${metrics}}` }),
      await post(ingest, { body: `{"metrics":${metrics}}` }),
    ];
    const accepted = await post(ingest, {
      body: bodyOf({ metrics: featuresOf(MAX_FEATURES, MAX_FEATURES) }),
    });
    const { total } = await world.settled();

    expect([...refused, accepted].map(({ status }) => status)).to.deep.equal([400, 400, 202]);
    expect(total).to.include({ received: MAX_FEATURES, counted: MAX_FEATURES, refused: 0 });
  });
});

function featuresOf(first: number, count: number) {
  return Array.from({ length: count }, (_, index) =>
    aFreshMetric({ featureName: `feature-${first + index}`, yes: 1 }),
  );
}
