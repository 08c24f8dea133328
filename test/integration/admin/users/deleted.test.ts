import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { createSecret } from '#base/tokens';
import { aFeature, aUser, sharedAdminWorld, operationsOf } from '../../../support/admin-api/admin.ts';
import {
  ENABLE,
  IN_PRODUCTION,
  REQUESTS,
  ifMatch,
  stepAsRead,
} from '../../../support/admin-api/change-requests.ts';

const NAMES = ['zoe-the-author', 'yan-the-approver'];

describe('a deleted user', () => {
  const world = sharedAdminWorld();
  before(() => aFeature(world.api, 'f'));

  const aDraft = async (token: string): Promise<{ id: number; path: string }> => {
    const { body } = await world.api.post(IN_PRODUCTION, { changes: [ENABLE] }, { token });
    const { id } = body as { id: number };
    return { id, path: `${REQUESTS}/${id}` };
  };
  const remove = async (id: number): Promise<void> => {
    expect((await world.api.delete(`/api/admin/user-admin/${id}`)).status).to.equal(200);
  };

  /** How often each answer of the API names somebody. */
  async function named(id: number): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { method, template, operationId } of operationsOf(world.api)) {
      if (method !== 'get') continue;
      const path = template
        .replace('{projectId}', 'default')
        .replace('{featureName}', 'of-zoe')
        .replace('{toggleName}', 'of-zoe')
        .replace('{id}', String(id))
        .replaceAll(/\{\w+\}/g, '1');
      const query = operationId === 'getChangeRequestDifferences' ? '?since=1' : '';
      const { body } = await world.api.get(`${path}${query}`);
      counts[operationId] = NAMES.reduce((sum, name) => sum + JSON.stringify(body).split(name).length - 1, 0);
    }
    return counts;
  }

  it('has a name in every answer that had it before, except the lists of users', async () => {
    const [zoe, yan] = [
      await aUser(world.api, 'Editor', 'zoe-the-author'),
      await aUser(world.api, 'Editor', 'yan-the-approver'),
    ];
    await aFeatureBy(zoe.token);
    const { id, path } = await aDraft(zoe.token);
    await stepAsRead(world.api, { path, change: { state: 'In review' }, token: zoe.token });
    await world.api.post(`${path}/comments`, { text: 'please' }, zoe);
    const approved = await stepAsRead(world.api, {
      path,
      change: { state: 'Approved', comment: 'yes' },
      token: yan.token,
    });
    expect(approved.status).to.equal(200);
    const before = await named(id);
    await remove(zoe.id);
    await remove(yan.id);
    const after = await named(id);
    const shown = [
      'getChangeRequest',
      'listChangeRequests',
      'searchChangeRequests',
      'listFeatureEvents',
      'searchEvents',
    ];
    for (const operation of shown) expect(before[operation], operation).to.be.greaterThan(0);
    for (const [operation, count] of Object.entries(before))
      if (operation === 'listUsers') expect(after[operation]).to.equal(0);
      else expect(after[operation], operation).to.be.at.least(count);
  });

  const aFeatureBy = async (token: string): Promise<void> => {
    await world.api.post('/api/admin/projects/default/features', { name: 'of-zoe' }, { token });
  };

  it('gives the name to the next user who is called so, and has no role any more', async () => {
    const first = await aUser(world.api, 'None', 'pat');
    await world.api.post('/api/admin/projects/default/access', { user: 'pat', role: 'Owner' });
    await remove(first.id);
    const second = await aUser(world.api, 'None', 'pat');
    const granted = await world.api.post('/api/admin/projects/default/access', {
      user: 'pat',
      role: 'Viewer',
    });
    expect(granted.body).to.include({ userId: second.id, userName: 'pat' });
    const held = await world.db.query('select from project_roles where user_id = $1', [first.id]);
    expect(held.rowCount).to.equal(0);
  });

  it('leaves a draft that others see, and that an Admin may end', async () => {
    const zoe = await aUser(world.api, 'Editor', 'drafting');
    const { path } = await aDraft(zoe.token);
    const other = await aUser(world.api, 'Viewer', 'other');
    expect((await world.api.get(path, other)).status).to.equal(404);
    await remove(zoe.id);
    await isSeenAndEnded(path, other.token);
  });

  for (const end of ['revoked_at', 'expires_at'])
    it(`does so like an ADMIN token that has ended: ${end}`, async () => {
      const secret = createSecret(['default'], '*');
      const token = {
        secret,
        name: `deploy ${end}`,
        type: 'admin',
        environment: '*',
        projects: ['default'],
        expiresAt: undefined,
      } as const;
      const stored = await createTokens(world.db).create(token);
      const { path } = await aDraft(secret);
      const other = await aUser(world.api, 'Viewer', `other-${end.slice(0, 3)}`);
      expect((await world.api.get(path, other)).status).to.equal(404);
      await world.db.query(`update api_tokens set ${end} = now() where id = $1`, [stored?.id]);
      await isSeenAndEnded(path, other.token);
    });

  async function isSeenAndEnded(path: string, token: string): Promise<void> {
    const { status, headers, body } = await world.api.get(path, { token });
    expect(status).to.equal(200);
    expect(body).to.have.property('state', 'Draft');
    const { id } = body as { id: number };
    for (const list of [REQUESTS, '/api/admin/search/change-requests'])
      expect(JSON.stringify((await world.api.get(list, { token })).body)).to.include(`"id":${id},`);
    const cancelled = await world.api.put(
      `${path}/state`,
      { state: 'Cancelled' },
      { headers: ifMatch(headers.get('etag')) },
    );
    expect(cancelled.status).to.equal(200);
  }
});
