import { createTokens } from '#base/auth';
import { createSecret } from '#base/tokens';
import { expect } from 'chai';
import { createBodyForms } from '../../../services/ingest/body-forms.ts';
import { aCounter, aHistogram } from '../../support/builders/builders.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { sharedCounting } from '../../support/stories/counting.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, sharedWorld } from '../../support/world.ts';

/** The only way on which a server says itself what happened in it. */
const FIRST_HAND = '/api/client/metrics';
const TOGGLES = { 'new-basket': { yes: 5, no: 3, variants: { blue: 4, disabled: 1 } } };

describe('the evidence for guards', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  let trusted: string;
  before(async () => {
    trusted = await aToken(true);
    const tokens = { trusted, usual: await aToken(false), initial: CLIENT_TOKEN, admin: ADMIN_TOKEN };
    for (const [path, { sentBy }] of createBodyForms()) {
      if (path.endsWith('register')) continue;
      const senders = sentBy === 'servers' ? tokens : { frontend: FRONTEND_TOKEN };
      for (const [name, authorization] of Object.entries(senders))
        await send({ path, app: `${name} at ${path}`, authorization });
    }
    // A repetition of the same batch counts once.
    await send({ path: FIRST_HAND, app: `trusted at ${FIRST_HAND}`, authorization: trusted });
    await world.settled();
  });

  it('is what a trusted token sends about itself, and nothing of relays, browsers and other tokens', async () => {
    const counted = await world.query<{ app_name: string }>(
      `select distinct app_name from usage_by_hour order by app_name`,
    );
    expect(counted.length).to.be.greaterThan(8);
    expect(await world.query('select distinct app_name from evidence_hourly')).to.deep.equal([
      { app_name: `trusted at ${FIRST_HAND}` },
    ]);
  });

  it('has the same evaluations of each arm as the counts', async () => {
    const ofApp = { app: `trusted at ${FIRST_HAND}` };
    const counts = await world.query(
      `select feature_name, environment, arm, toInt64(sum(x.exposures)) as exposures
       from exposures_by_hour as x
       where app_name = {app:String}
       group by feature_name, environment, arm
       order by arm`,
      ofApp,
    );
    expect(counts.map(({ arm, exposures }) => [arm, exposures])).to.deep.equal([
      ['blue', '4'],
      ['disabled', '3'],
      ['enabled', '1'],
    ]);
    expect(
      await world.query(
        `select feature_name, environment, arm, sum(e.exposures) as exposures
         from evidence_hourly as e
         where metric_name = ''
         group by feature_name, environment, arm
         order by arm`,
      ),
    ).to.deep.equal(counts);
  });

  it('has the same samples of each arm as the impact metrics, of each label that may name a feature', async () => {
    const measured = await world.query(
      `select metric_name, metric_type, environment, label as feature_name, arm, total, observations, bounds, counts
       from (
         select *, i.bucketsMap.bound as bounds, i.bucketsMap.count as counts from impact_hourly as i
       )
       array join label_names as label, label_values as arm
       where app_name = {app:String}
         and label not in ('appName', 'environment')
       order by metric_name`,
      { app: `trusted at ${FIRST_HAND}` },
    );
    expect(measured).to.have.length(2);
    expect(
      await world.query(
        `select
           metric_name, metric_type, environment, feature_name, arm, total, observations,
           e.bucketsMap.bound as bounds, e.bucketsMap.count as counts
         from evidence_hourly as e
         where metric_name != ''
         order by metric_name`,
      ),
    ).to.deep.equal(measured);
  });

  async function aToken(isTrusted: boolean): Promise<string> {
    const secret = createSecret([], 'production');
    const scope = { type: 'client', environment: 'production', projects: [], expiresAt: undefined } as const;
    await createTokens(world.db).create({ secret, name: 'server', ...scope, isTrusted });
    return secret;
  }

  type Sent = { readonly path: string; readonly app: string; readonly authorization: string };

  async function send({ path, app, authorization }: Sent): Promise<void> {
    const impactMetrics = samplesOf(app);
    const stop = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 + 1).toISOString();
    const bucket = { start: stop, stop, toggles: TOGGLES };
    const isBulk = path === '/edge/metrics' || path.endsWith('/bulk');
    const environment = authorization === ADMIN_TOKEN ? { environment: 'production' } : {};
    const body = isBulk
      ? bodyOf({ metrics: [aFreshMetric({ appName: app, yes: 5, no: 3 })], impactMetrics })
      : JSON.stringify({ appName: app, instanceId: 'one', ...environment, bucket, impactMetrics });
    const headers = { 'unleash-appname': 'server', 'unleash-instanceid': 'one' };
    const { status, text } = await post(ingest, { path, authorization, body, headers });
    expect(status, `${app}: ${text}`).to.equal(202);
  }
});

/** A counter and a histogram of an application. */
function samplesOf(appName: string): readonly unknown[] {
  const labels = { 'new-basket': 'blue', appName, environment: 'production' };
  const buckets = [
    { le: 0.5, count: 5 },
    { le: '+Inf', count: 6 },
  ];
  return [
    aCounter({ samples: [{ value: 17, labels }] }),
    aHistogram({ samples: [{ count: 6, sum: 2.25, buckets, labels }] }),
  ];
}
