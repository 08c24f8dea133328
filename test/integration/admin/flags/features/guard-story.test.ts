import { expect } from 'chai';
import { untilCounted } from '../../../../support/stack/engines/kafka/topics.ts';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { createBodyForms } from '../../../../../services/ingest/body-forms.ts';
import { type Api, aFeature, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import { GUARD, computeVerdicts, guardEvents } from '../../../../support/admin-api/harm.ts';
import { eventually } from '../../../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../../../support/requests/post.ts';
import { sharedCounting } from '../../../../support/stories/counting.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, sharedWorld } from '../../../../support/world.ts';

const PROJECT = '/api/admin/projects/shop';
const ERRORS = { enabled: 900, disabled: 300 };

describe('an Editor of development alone, and a production that requires two approvals', () => {
  const world = sharedWorld();
  const ingest = sharedCounting(world);
  let api: Api;
  let dev: { readonly token: string };
  before(async () => {
    api = await openApi((await world.run(startAdmin)).url);
    await api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
    await api.put(`${PROJECT}/environments/production/change-requests/config`, { requiredApprovals: 2 });
    dev = await aUser(api, 'None', 'dev');
    await api.post(`${PROJECT}/access`, { user: 'dev', role: 'Editor', environments: ['development'] });
    await aFeature(api, 'basket', 'shop');
    await api.post(`${PROJECT}/features/basket/environments/production/on`);
    await world.db.query(`update feature_environments set changed_at = now() - interval '6 minutes'`);
  });

  const guarding = (...turnOff: readonly string[]) => ({ guards: [{ ...GUARD, turnOff }] });
  const set = (body: object, by = {}) => api.put(`${PROJECT}/features/basket`, body, by);

  it('do not come together by a guard: the Editor can set none that acts in production', async () => {
    expect((await set(guarding('production'), dev)).status).to.equal(403);
    expect((await set(guarding('development', 'production'), dev)).status).to.equal(403);
    const created = { name: 'new', ...guarding('production') };
    expect((await api.post(`${PROJECT}/features`, created, dev)).status).to.equal(403);
    expect((await set(guarding('development'), dev)).status).to.equal(200);
  });

  it('keep the feature on, however harmful invented evaluations make it, and an event says why', async () => {
    expect((await set(guarding('production'))).status).to.equal(200);
    for (const [path, { sentBy }] of createBodyForms()) {
      if (path.endsWith('register')) continue;
      const tokens = sentBy === 'servers' ? [CLIENT_TOKEN, ADMIN_TOKEN] : [FRONTEND_TOKEN];
      for (const token of tokens) await invent(path, token);
    }
    await untilCounted(world);
    await round();
    const [verdict] = await world.query(
      `select environment from feature_verdicts where feature_name = 'basket' and verdict = 'harmful'`,
    );
    expect(verdict, 'the inventions are believed').to.deep.equal({ environment: 'production' });
    const [event, ...others] = await eventually(
      () => guardEvents(world),
      (events) => events.length > 0,
    );
    expect(others).to.deep.equal([]);
    expect(event).to.include({
      feature: 'basket',
      type: 'feature-guard-withheld',
      environment: 'production',
    });
    expect(await isOn()).to.equal(true);
  });

  it('turn it off by the same evaluations of a token that the project trusts', async () => {
    const { body } = await api.post('/api/admin/api-tokens', {
      tokenName: 'server',
      type: 'client',
      environment: 'production',
      trusted: true,
      projects: ['shop'],
    });
    const { id, secret } = body as { id: string; secret: string };
    await invent('/api/client/metrics', secret);
    await untilCounted(world);
    await round();
    const events = await eventually(
      () => guardEvents(world),
      (found) => found.length > 1,
    );
    expect(events).to.have.length(2);
    expect(events[1]).to.include({ type: 'feature-environment-disabled', environment: 'production' });
    expect(events[1]?.data).to.have.nested.property('evidence.tokens').that.deep.equals([id]);
    expect(events[1]?.data).to.have.nested.property('setBy.tokenId').that.is.a('string');
    expect(await isOn()).to.equal(false);
  });

  async function invent(path: string, authorization: string): Promise<void> {
    const environment = authorization === ADMIN_TOKEN ? { environment: 'production' } : {};
    const labels = { appName: 'shop', environment: 'production' };
    const samples = Object.entries(ERRORS).map(([arm, value]) => ({
      value,
      labels: { ...labels, basket: arm },
    }));
    const impactMetrics = [{ name: 'errors', help: 'Errors', type: 'counter', samples }];
    const now = new Date().toISOString();
    const bucket = { start: now, stop: now, toggles: { basket: { yes: 1000, no: 1000 } } };
    const metrics = [aFreshMetric({ featureName: 'basket', appName: 'shop', yes: 1000, no: 1000 })];
    const isBulk = path === '/edge/metrics' || path.endsWith('/bulk');
    const body = isBulk
      ? bodyOf({ metrics, impactMetrics })
      : JSON.stringify({ appName: 'shop', instanceId: 'one', ...environment, bucket, impactMetrics });
    const { status, text } = await post(ingest, { path, authorization, body });
    expect(status, `${path}: ${text}`).to.equal(202);
  }

  /** The job looks at its start. */
  async function round(): Promise<void> {
    await computeVerdicts(world);
    await world.run(startAdmin);
  }

  async function isOn(): Promise<boolean> {
    const { rowCount } = await world.db.query('select from feature_environments where enabled');
    return rowCount === 1;
  }
});
