import { expect } from 'chai';
import { stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { aFeature, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';

const PROJECT = '/api/admin/projects/default';

describe('a role that is limited to an environment', () => {
  const world = sharedAdminWorld();
  const tokens: Record<string, string> = {};
  before(async () => {
    for (const name of ['ana', 'ben']) {
      tokens[name] = (await aUser(world.api, 'None', name)).token;
      await limit(name, ['development']);
    }
    tokens['cleo'] = (await aUser(world.api, 'None', 'cleo')).token;
    await limit('cleo', []);
  });

  const limit = (user: string, environments: string[]) =>
    world.api.post(`${PROJECT}/access`, { user, role: 'Editor', environments });
  const step = async (path: string, state: string, name: string): Promise<number> =>
    (await stepAsRead(world.api, { path, change: { state }, token: tokens[name] })).status;

  async function proposed(feature: string, change: object): Promise<string> {
    await aFeature(world.api, feature);
    const { body } = await world.api.post(
      `${PROJECT}/environments/development/change-requests`,
      { changes: [{ feature, ...change }] },
      { token: tokens['ana'] ?? '' },
    );
    const path = `${PROJECT}/change-requests/${(body as { id: number }).id}`;
    expect(await step(path, 'In review', 'ana')).to.equal(200);
    return path;
  }

  it('permits to approve and apply a change request there', async () => {
    const path = await proposed('on', { action: 'updateEnabled', payload: { enabled: true } });
    expect(await step(path, 'Approved', 'ben')).to.equal(200);
    expect(await step(path, 'Applied', 'ben')).to.equal(200);
  });

  it('permits neither if the request archives a feature, which ends it in every environment', async () => {
    const path = await proposed('old', { action: 'archiveFeature' });
    expect(await step(path, 'Approved', 'ben')).to.equal(403);
    expect(await step(path, 'Approved', 'cleo')).to.equal(200);
    expect(await step(path, 'Applied', 'ben')).to.equal(403);
    await limit('cleo', ['development']);
    expect(await step(path, 'Applied', 'cleo')).to.equal(403);
    const { body } = await world.api.get(path);
    expect((body as { missingApprovals: string }).missingApprovals).to.include(
      'this user may not approve in this environment any more',
    );
    await limit('cleo', []);
    expect(await step(path, 'Applied', 'cleo')).to.equal(200);
    const { body: feature } = await world.api.get(`${PROJECT}/features/old`);
    expect(feature).to.include({ archived: true });
  });
});
