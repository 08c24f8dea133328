import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import { GUARD, computeVerdicts, doHarm, guardEvents } from '../../../../support/admin-api/harm.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  ADMIN_SECRET,
  type UpstreamCatalogue,
  createUpstreamCatalogue,
} from '../../../../support/servers/upstream/unleash-catalogue.ts';
import { type Upstream, startUpstream } from '../../../../support/servers/upstream/upstream.ts';
import { type World, createWorld } from '../../../../support/world.ts';

const FEATURES = '/api/admin/projects/default/features';
const EVERYBODY_ELSE = /^What trusted tokens sent themselves does not show it/;

describe('a feature that is harmful', () => {
  let world: World;
  let api: Api;
  let upstream: Upstream;
  let catalogue: UpstreamCatalogue;
  /** Ids of tokens: of servers of this project, of all projects and of another one, and one that was revoked. */
  const tokens: Record<string, string> = {};
  let ana: string;
  before(async () => {
    catalogue = createUpstreamCatalogue();
    upstream = await startUpstream(catalogue.respond);
    world = await createWorld({ UNLEASH_URL: upstream.url, UNLEASH_ADMIN_TOKEN: ADMIN_SECRET });
    const first = await world.run(startAdmin);
    api = await openApi(first.url);
    ana = (await aUser(api, 'Admin', 'ana')).token;
    await api.post('/api/admin/projects', { id: 'other', name: 'Other' });
    tokens['ours'] = await aTrustedToken(['default']);
    tokens['of all'] = await aTrustedToken(['*']);
    tokens['of others'] = await aTrustedToken(['other']);
    tokens['revoked'] = await aTrustedToken(['default']);
    await api.delete(`/api/admin/api-tokens/${tokens['revoked']}`);
    await makeFeatures();
    await first.stop();
    await computeVerdicts(world);
    // A new configuration that no verdict has seen.
    await world.db.query(
      `update feature_environments set enabled = false where feature_name = 'turned-on-again';
       update feature_environments set enabled = true where feature_name = 'turned-on-again'`,
    );
    const services = await Promise.all([world.run(startAdmin), world.run(startAdmin)]);
    // The last of the round.
    await eventually(
      () => guardEvents(world),
      (events) => events.some(({ feature }) => feature === 'unproved'),
    );
    await Promise.all(services.map((service) => service.stop()));
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });

  const of = async (feature: string) =>
    (await guardEvents(world)).filter((event) => event.feature === feature);

  it('is turned off once, with the guard, the evidence and who set it in the event', async () => {
    const events = await of('bad');
    expect(events).to.have.length(1);
    const [{ data, ...event } = { data: {} }] = events;
    expect(event).to.deep.equal({
      feature: 'bad',
      environment: 'production',
      by: 'system',
      source: 'flagmeter',
      type: 'feature-environment-disabled',
    });
    const { reason, guard, setBy, evidence } = data as Record<string, Record<string, unknown>>;
    expect(reason).to.match(
      /^Since .* the arm enabled has 900 errors in 1000 evaluations, and disabled has 300 in 1000\. /,
    );
    expect(guard).to.deep.equal({ ...GUARD, turnOff: ['production'] });
    expect(setBy).to.include({ name: 'ana', tokenId: null });
    expect(evidence).to.deep.include({
      arm: { name: 'enabled', chances: 1000, events: 900 },
      control: { name: 'disabled', chances: 1000, events: 300 },
      tokens: [tokens['ours']],
      applications: ['shop'],
    });
    expect(Date.parse(String(evidence?.['from']))).to.be.lessThan(
      Date.parse(String(evidence?.['until'])) - 3_600_000,
    );
    expect(await enabledFeatures()).not.to.include('bad');
  });

  it('is turned off by what a token of all projects sent', async () => {
    expect(await of('bad-of-all')).to.have.length(1);
    expect(await enabledFeatures()).not.to.include('bad-of-all');
  });

  for (const feature of ['unproved', 'proved-by-others', 'proved-by-revoked'])
    it(`stays on and an event says why if no token proves it that the project trusts: ${feature}`, async () => {
      const events = await of(feature);
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        type: 'feature-guard-withheld',
        by: 'system',
        environment: 'production',
      });
      expect(events[0]?.data['objection']).to.match(EVERYBODY_ELSE);
      expect(events[0]?.data['reason']).to.include('900 errors');
      expect(await enabledFeatures()).to.include(feature);
    });

  for (const feature of ['watched', 'guarded-elsewhere', 'turned-on-again', 'other-guard-acts'])
    it(`is left alone if no guard asks for this configuration here: ${feature}`, async () => {
      expect(await of(feature)).to.deep.equal([]);
      expect(await enabledFeatures()).to.include(feature);
    });

  it('stays on if nobody who may has set the guard as it is, but an import or another writer', async () => {
    for (const feature of ['imported', 'changed-behind']) {
      const [event] = await of(feature);
      expect(event?.type, feature).to.equal('feature-guard-withheld');
      expect(event?.data['objection']).to.match(/^Nobody has set the guards of this environment/);
      expect(await enabledFeatures()).to.include(feature);
    }
  });

  it('is turned off in Unleash if Unleash owns it', async () => {
    const [event] = await of('theirs');
    expect(event).to.include({ by: 'system', source: 'unleash' });
    expect(event?.data['reason']).to.include('900 errors');
    expect(event?.data['setBy']).to.include({ name: 'ana' });
    expect(catalogue.features.get('theirs')?.enabled).to.equal(false);
    expect(await enabledFeatures()).not.to.include('theirs');
  });

  async function makeFeatures(): Promise<void> {
    const ours = [tokens['ours'] ?? ''];
    await create('bad', ours);
    await create('bad-of-all', [tokens['of all'] ?? '']);
    await create('unproved', []);
    await create('proved-by-others', [tokens['of others'] ?? '']);
    await create('proved-by-revoked', [tokens['revoked'] ?? '']);
    await create('watched', ours, []);
    await create('guarded-elsewhere', ours, ['development']);
    await create('turned-on-again', ours);
    await create('imported', ours);
    await create('changed-behind', ours);
    await world.db.query(`delete from guard_setters where feature_name = 'imported'`);
    await world.db.query(
      `update features set guards = jsonb_set(guards, '{0,threshold}', '0.01') where name = 'changed-behind'`,
    );
    // The guard that is worse only tells, and another one on the same metric acts.
    const less = { ...GUARD, direction: 'down', turnOff: ['production'] };
    const guards = [less, { ...GUARD, turnOff: [] }];
    await api.post(FEATURES, { name: 'other-guard-acts', guards }, { token: ana });
    await doHarm(world, { feature: 'other-guard-acts', provedBy: ours });
    catalogue.create('theirs');
    await create('theirs', ours);
    await world.db.query(`update features set source = 'unleash' where name = 'theirs'`);
  }

  async function create(name: string, provedBy: readonly string[], turnOff = ['production']): Promise<void> {
    const { status } = await api.post(FEATURES, { name, guards: [{ ...GUARD, turnOff }] }, { token: ana });
    expect(status).to.equal(201);
    await doHarm(world, { feature: name, provedBy });
  }

  async function aTrustedToken(projects: readonly string[]): Promise<string> {
    const { body } = await api.post('/api/admin/api-tokens', {
      tokenName: 'server',
      type: 'client',
      environment: 'production',
      trusted: true,
      projects,
    });
    return (body as { id: string }).id;
  }

  async function enabledFeatures(): Promise<string[]> {
    const { rows } = await world.db.query<{ feature_name: string }>(
      'select feature_name from feature_environments where enabled order by feature_name',
    );
    return rows.map(({ feature_name }) => feature_name);
  }
});
