import { expect } from 'chai';
import { startAdmin } from '../../../../services/admin/app.ts';
import { type Api, aUser, openApi } from '../../../support/admin-api/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { sharedWorldWithoutTopics } from '../../../support/uncounted-world.ts';

const PROJECTS = '/api/admin/projects';
const SECRET = '*:*.invented-by-a-stranger-1234567890';

describe('the log of rejected callers', () => {
  const world = sharedWorldWithoutTopics();
  let api: Api;
  const { log, lines } = collectLog();
  before(async () => {
    const { url } = await world.run((config) => startAdmin(config, log));
    api = await openApi(url);
  });

  /** The line that the next rejected request writes. */
  async function lineOf(reject: () => Promise<{ status: number }>, status: number) {
    const rejections = () => lines().filter(({ msg }) => msg === 'admin request rejected');
    const before = rejections().length;
    expect((await reject()).status).to.equal(status);
    const after = await eventually(
      () => Promise.resolve(rejections()),
      ({ length }) => length > before,
    );
    return after[before] ?? {};
  }

  it('names address and operation of a sign-in without a token or with an unknown one, and no secret', async () => {
    const address = { operation: 'listProjects', status: 401, address: '127.0.0.1' };
    expect(await lineOf(() => api.get(PROJECTS, { token: null }), 401)).to.include({
      ...address,
      token: 'none',
    });
    const line = await lineOf(() => api.get(PROJECTS, { token: SECRET }), 401);
    expect(line)
      .to.include({ ...address, token: 'unknown' })
      .and.not.have.property('tokenId');
    expect(JSON.stringify(lines())).not.to.include('invented-by-a-stranger');
  });

  it('names the id of a revoked token that is used again: an API token and a personal one', async () => {
    const created = await api.post('/api/admin/api-tokens', { tokenName: 'old', type: 'admin' });
    const { id, secret } = created.body as { id: string; secret: string };
    await api.delete(`/api/admin/api-tokens/${id}`);
    expect(await lineOf(() => api.get(PROJECTS, { token: secret }), 401)).to.include({
      token: 'revoked',
      tokenId: id,
    });
    const ana = await aUser(api, 'Editor', 'ana');
    const { body } = await api.get('/api/admin/user/tokens', ana);
    await api.delete(`/api/admin/user-admin/${ana.id}`);
    expect(await lineOf(() => api.get(PROJECTS, { token: ana.token }), 401)).to.include({
      token: 'revoked',
      tokenId: (body as { pats: { id: string }[] }).pats[0]?.id,
      userId: ana.id,
    });
  });

  it('names the id of a token without the permission, also of a relay', async () => {
    const vera = await aUser(api, 'Viewer', 'vera');
    const { body } = await api.get('/api/admin/user', vera);
    const { authentication } = body as { authentication: { tokenId: string } };
    const body403 = { id: 'x', name: 'X' };
    expect(await lineOf(() => api.post(PROJECTS, body403, { token: vera.token }), 403)).to.include({
      operation: 'createProject',
      token: 'valid',
      tokenId: authentication.tokenId,
      userId: vera.id,
    });
    const made = await api.post('/api/admin/api-tokens', { tokenName: 'edge', type: 'client' });
    const { id, secret } = made.body as { id: string; secret: string };
    expect(await lineOf(() => api.get(PROJECTS, { token: secret }), 403)).to.include({ tokenId: id });
  });

  it('is bounded, however many requests are rejected', async () => {
    const began = Date.now();
    for (let count = 0; count < 200; count += 1) await api.get(PROJECTS, { token: `${SECRET}${count}` });
    const minutes = Math.floor((Date.now() - began) / 60_000) + 1;
    const written = () => lines().filter(({ msg }) => msg === 'admin request rejected').length;
    expect(written()).to.be.lessThan(101 * minutes);
  });
});
