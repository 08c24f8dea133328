import { expect } from 'chai';
import { type Api, aUser, sharedAdminWorld, runAdmin } from '../../../support/admin-api/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

type Shown = {
  readonly user: { readonly id: number; readonly username: string; readonly rootRole: string };
  readonly permissions: readonly { readonly permission: string }[];
  readonly authentication: object;
};

describe('GET /api/admin/user', () => {
  const world = sharedAdminWorld();

  async function shownTo(token?: string): Promise<Shown> {
    const { status, body } = await world.api.get('/api/admin/user', token === undefined ? {} : { token });
    expect(status).to.equal(200);
    return body as Shown;
  }

  const namesOf = ({ permissions }: Shown) => permissions.map(({ permission }) => permission);

  it('shows a user with the permissions of their role and the expiry of their token, but no secret', async () => {
    const vera = await aUser(world.api, 'Viewer', 'vera');
    const shown = await shownTo(vera.token);
    expect(shown.user).to.include({ id: vera.id, username: 'vera', rootRole: 'Viewer' });
    expect(namesOf(shown)).to.deep.equal(['READ', 'READ_NAMES', 'MANAGE_OWN', 'GIVE_FEEDBACK']);
    expect(shown.authentication).to.include({
      type: 'personal-token',
      tokenName: 'test',
      expiresAt: IN_A_MONTH,
    });
    expect(JSON.stringify(shown)).not.to.include(vera.token);
  });

  it('shows an Editor everything but ADMIN, and the permissions of a new role', async () => {
    const edda = await aUser(world.api, 'Editor', 'edda');
    const asEditor = namesOf(await shownTo(edda.token));
    expect(asEditor).to.include.members(['UPDATE_FEATURE', 'EDIT_CHANGE_REQUEST']);
    expect(asEditor).not.to.include('ADMIN');
    await world.api.put(`/api/admin/user-admin/${edda.id}`, { rootRole: 'Admin' });
    const shown = await eventually(
      () => shownTo(edda.token),
      (answer) => namesOf(answer).includes('ADMIN'),
    );
    expect(shown.user.rootRole).to.equal('Admin');
  });

  it('shows an ADMIN token with its name and every permission', async () => {
    const { body } = await world.api.post('/api/admin/api-tokens', { tokenName: 'deploys', type: 'admin' });
    const { id, secret } = body as { id: string; secret: string };
    const shown = await shownTo(secret);
    expect(shown.user).to.include({ id: -42, username: 'admin-token', rootRole: 'Admin' });
    expect(namesOf(shown)).to.include('ADMIN');
    expect(shown.authentication).to.deep.equal({
      type: 'admin-token',
      tokenId: id,
      tokenName: 'deploys',
      expiresAt: null,
      isForeign: false,
    });
  });

  describe('while AUTH_TYPE is none', () => {
    let api: Api;
    before(async () => {
      api = await runAdmin(world, { AUTH_TYPE: 'none' });
    });

    it('shows the user unknown, who did not sign in, with or without a token', async () => {
      for (const token of [null, 'nonsense']) {
        const { body } = await api.get('/api/admin/user', { token });
        expect(body).to.have.nested.property('user.username', 'unknown');
        expect(body).to.have.nested.property('user.rootRole', 'Admin');
        expect(body).to.have.deep.property('authentication', {
          type: 'none',
          tokenId: null,
          tokenName: null,
          expiresAt: null,
          isForeign: false,
        });
      }
    });
  });
});
