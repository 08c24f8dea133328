import { expect } from 'chai';
import { registerFeatures, syncFeatures } from '#fleet/catalogue';
import { createBlocks } from '#core/clickhouse';
import { aFeature, aUser, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { stepAsRead } from '../../../support/admin-api/change-requests.ts';
import type { GivenReason } from '../../../support/builders/builders.ts';
import { aBlock } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';

const THEIRS = '/api/admin/projects/default/features/theirs';

describe('features of other flag systems', () => {
  const world = sharedCountedAdminWorld();
  let from = 0n;
  before(() => aFeature(world.api, 'ours', 'default'));

  /** Evaluations of a feature, all with the same reason. */
  async function evaluate(featureName: string, yes: number, why: Omit<GivenReason, 'countOf'>) {
    const metrics = [aFreshMetric({ featureName, yes })];
    await createBlocks(world.clickhouse).insert(aBlock({ metrics, reasons: [why], from }));
    from += 1n;
    await registerFeatures(world.db, world.clickhouse);
    await syncFeatures(world.db, world.clickhouse);
  }

  it('are registered with their provider, unless all evaluations fail', async () => {
    await evaluate('theirs', 2, { reason: 'static', provider: 'flagd' });
    await evaluate('ours', 2, { reason: 'static', provider: 'flagd' });
    await evaluate('thiers', 2, { reason: 'error', errorType: 'flag_not_found', provider: 'flagd' });
    const { rows } = await world.db.query('select name, source, provider from features order by name');
    expect(rows).to.deep.equal([
      { name: 'ours', source: 'flagmeter', provider: null },
      { name: 'theirs', source: 'opentelemetry', provider: 'flagd' },
    ]);
    expect(
      await world.query('select feature_name, source, provider from features order by feature_name'),
    ).to.deep.equal([
      { feature_name: 'ours', source: 'flagmeter', provider: '' },
      { feature_name: 'theirs', source: 'opentelemetry', provider: 'flagd' },
    ]);
    const unknown = await world.api.get('/api/admin/metrics/unknown-flags');
    const { unknownFlags } = unknown.body as { unknownFlags: { name: string }[] };
    expect(unknownFlags.map(({ name }) => name)).to.deep.equal(['thiers']);
  });

  it('are registered by tokens that are still valid, and not by those that were revoked since', async () => {
    const { body } = await world.api.post('/api/admin/api-tokens', { tokenName: 'lost', type: 'client' });
    const { id: tokenId } = body as { id: string };
    await world.api.delete(`/api/admin/api-tokens/${tokenId}`);
    const reasons = [{ reason: 'static', provider: 'flagd' }];
    const metrics = [aFreshMetric({ featureName: 'from-lost-token', yes: 2 })];
    await createBlocks(world.clickhouse).insert(aBlock({ metrics, reasons, from, tokenId }));
    from += 1n;
    await registerFeatures(world.db, world.clickhouse);
    const { rowCount } = await world.db.query(`select from features where name = 'from-lost-token'`);
    expect(rowCount).to.equal(0);
  });

  it('have no guards that turn them off, because only their system does', async () => {
    const guard = { metric: 'errors', direction: 'up', threshold: 0, above: null };
    const set = (turnOff: readonly string[]) => world.api.put(THEIRS, { guards: [{ ...guard, turnOff }] });
    expect((await set(['production'])).body).to.include({ name: 'OwnedByProvider' });
    expect((await set([])).status).to.equal(200);
  });

  it('have an owner and tags, and can be archived', async () => {
    const { api } = world;
    const marks = { owner: 'Search team', tags: ['team:search'] };
    expect((await api.put(THEIRS, marks)).body).to.deep.include({ ...marks, source: 'opentelemetry' });
    expect((await api.get(THEIRS)).body).to.deep.include({ ...marks, provider: 'flagd' });
    expect((await api.delete('/api/admin/archive/theirs')).status).to.equal(200);
    expect((await api.post('/api/admin/archive/revive/theirs')).status).to.equal(200);
  });

  it('are not turned on here, neither directly nor by a change request', async () => {
    const { api } = world;
    const answer = await api.post(`${THEIRS}/environments/production/on`);
    expect(answer.status).to.equal(409);
    expect(answer.body).to.include({ name: 'OwnedByProvider' });
    const changes = [{ feature: 'theirs', action: 'updateEnabled', payload: { enabled: true } }];
    const editor = (await aUser(api, 'Editor', 'edda')).token;
    const place = '/api/admin/projects/default/environments/production/change-requests';
    expect((await api.put(`${place}/config`, { requiredApprovals: 1 })).status).to.equal(200);
    const opened = await api.post(place, { changes }, { token: editor });
    const path = `/api/admin/projects/default/change-requests/${(opened.body as { id: number }).id}`;
    await stepAsRead(api, { path, change: { state: 'In review' }, token: editor });
    await stepAsRead(api, { path, change: { state: 'Approved' } });
    const applied = await stepAsRead(api, { path, change: { state: 'Applied' } });
    expect(applied.body).to.have.property('message', 'Only another flag system has the feature theirs.');
  });

  it('follow the provider that evaluates most, and keep what people wrote', async () => {
    await evaluate('theirs', 3, { reason: 'static', provider: 'go-feature-flag' });
    await evaluate('theirs', 9, { reason: 'static' });
    expect((await world.api.get(THEIRS)).body).to.include({
      provider: 'go-feature-flag',
      owner: 'Search team',
    });
  });
});
