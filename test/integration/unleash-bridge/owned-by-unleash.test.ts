import { expect } from 'chai';
import { createCatalogueReader, createUnleash } from '#unleash/client';
import { syncOnce } from '../../../services/unleash-bridge/catalogue/sync.ts';
import { type AdminWorld, type Answer, aUser, createAdminWorld } from '../../support/admin-api/admin.ts';
import { stepAsRead } from '../../support/admin-api/change-requests.ts';
import {
  ADMIN_SECRET,
  type UpstreamCatalogue,
  createUpstreamCatalogue,
} from '../../support/servers/upstream/unleash-catalogue.ts';
import { type Upstream, answerJson, startUpstream } from '../../support/servers/upstream/upstream.ts';

const FEATURES = '/api/admin/projects/default/features';

describe('a resource that Unleash owns', () => {
  let world: AdminWorld;
  let upstream: Upstream;
  let catalogue: UpstreamCatalogue;
  let editor: string;
  beforeEach(async () => {
    catalogue = createUpstreamCatalogue();
    upstream = await startUpstream(catalogue.respond);
    world = await createAdminWorld({ UNLEASH_URL: upstream.url, UNLEASH_ADMIN_TOKEN: ADMIN_SECRET });
    editor = (await aUser(world.api, 'Editor', 'edda')).token;
    await world.db.query("insert into features (name, project) values ('own', 'default')");
    catalogue.create('basket');
    await sync();
    upstream.requests.length = 0;
  });
  afterEach(async () => {
    await upstream.close();
    await world.dispose();
  });

  it('is archived in Unleash, with one event that names the caller', async () => {
    const answer = await world.api.delete('/api/admin/archive/basket', { token: editor });
    expect(answer).to.include({ status: 200, body: undefined });
    expect(catalogue.features.get('basket')?.archivedAt).to.be.a('string');
    expect((await world.api.get(`${FEATURES}/basket`)).body).to.include({
      archived: true,
      source: 'unleash',
    });
    await sync();
    expect(await eventsOf('basket')).to.deep.equal([
      { type: 'feature-created', created_by: 'flagmeter' },
      { type: 'feature-archived', created_by: 'edda' },
    ]);
  });

  it('is enabled and disabled in Unleash, with one event each', async () => {
    const path = `${FEATURES}/basket/environments/production`;
    for (const state of ['off', 'off', 'on']) {
      expect((await world.api.post(`${path}/${state}`, undefined, { token: editor })).status).to.equal(200);
    }
    expect(catalogue.features.get('basket')?.enabled).to.equal(true);
    await sync();
    expect((await eventsOf('basket')).slice(1)).to.deep.equal([
      { type: 'feature-environment-disabled', created_by: 'edda' },
      { type: 'feature-environment-enabled', created_by: 'edda' },
    ]);
    const { body } = await world.api.get(`${FEATURES}/basket`);
    expect(body).to.have.nested.property('environments[1].enabled', true);
  });

  it('is not changed by a Viewer', async () => {
    const viewer = (await aUser(world.api, 'Viewer', 'vera')).token;
    const answer = await world.api.delete('/api/admin/archive/basket', { token: viewer });
    expect(answer.status).to.equal(403);
    expect(upstream.requests).to.deep.equal([]);
  });

  it('cannot be changed here in other ways: a 409 names the place to change it', async () => {
    const { api } = world;
    const answers: Answer[] = [
      await api.post('/api/admin/archive/revive/basket'),
      await api.post(FEATURES, { name: 'new' }),
      await api.post('/api/admin/projects/default/environments/production/change-requests', {
        changes: [{ feature: 'basket', action: 'updateEnabled', payload: { enabled: true } }],
      }),
      await api.put('/api/admin/projects/default/environments/production/change-requests/config', {
        requiredApprovals: 2,
      }),
      await api.put('/api/admin/strategies/flexibleRollout', { parameters: [] }),
      await api.post('/api/admin/strategies/flexibleRollout/deprecate'),
      await api.delete('/api/admin/strategies/flexibleRollout'),
    ];
    for (const { status, body } of answers) {
      expect(status).to.equal(409);
      expect((body as { message: string }).message).to.match(/^Unleash owns this \w+: .* there\.$/);
    }
    expect(upstream.requests).to.deep.equal([]);
  });

  it('does not affect resources that flagmeter owns', async () => {
    expect((await world.api.post(`${FEATURES}/own/environments/production/on`)).status).to.equal(200);
    expect((await world.api.delete('/api/admin/archive/own')).status).to.equal(200);
    expect((await world.api.post(`${FEATURES}/own/environments/production/on`)).status).to.equal(409);
    expect((await world.api.post(`${FEATURES}/own/environments/nowhere/on`)).status).to.equal(404);
    expect(upstream.requests).to.deep.equal([]);
  });

  it('cannot be changed by a change request from before Unleash owned it', async () => {
    const { api, db } = world;
    await db.query("update projects set source = 'flagmeter'");
    const requested = await api.post('/api/admin/projects/default/environments/production/change-requests', {
      changes: [{ feature: 'basket', action: 'updateEnabled', payload: { enabled: false } }],
    });
    const path = `/api/admin/projects/default/change-requests/${(requested.body as { id: number }).id}`;
    const lead = (state: string, token?: string) => stepAsRead(api, { path, change: { state }, token });
    await lead('In review');
    await lead('Approved', editor);
    const applied = await lead('Applied');
    expect(applied.body).to.include({ name: 'OwnedByUnleash' });
    expect(catalogue.features.get('basket')?.enabled).to.equal(true);
  });

  const faults: readonly [string, Upstream['respond'], { status: number; message: RegExp }][] = [
    [
      'is away',
      (_, response) => {
        response.destroy();
      },
      { status: 503, message: /outcome is unknown/ },
    ],
    [
      'answers 500',
      (_, response) => {
        answerJson(response, {}, 500);
      },
      { status: 503, message: /Try again/ },
    ],
    [
      'rejects it',
      ({ method }, response) => {
        if (method === 'GET') answerJson(response, { events: [], total: 0 });
        else answerJson(response, { name: 'InvalidOperationError', message: 'It has children.' }, 403);
      },
      { status: 409, message: /Unleash rejected this: It has children\./ },
    ],
  ];
  for (const [what, respond, expected] of faults) {
    it(`is not reported as archived if Unleash ${what}`, async () => {
      upstream.respond = respond;
      const { status, body } = await world.api.delete('/api/admin/archive/basket');
      expect(status).to.equal(expected.status);
      expect((body as { message: string }).message).to.match(expected.message);
      expect((await world.api.get(`${FEATURES}/basket`)).body).to.include({ archived: false });
      expect(await eventsOf('basket')).to.have.length(1);
    });
  }

  async function sync(): Promise<void> {
    const { signal } = new AbortController();
    const reader = createCatalogueReader(createUnleash({ url: upstream.url }), ADMIN_SECRET, signal);
    await syncOnce({ reader, db: world.db, signal });
  }

  async function eventsOf(feature: string): Promise<{ type: string; created_by: string }[]> {
    const { rows } = await world.db.query<{ type: string; created_by: string }>(
      'select type, created_by from events where feature_name = $1 order by created_at, id',
      [feature],
    );
    return rows;
  }
});
