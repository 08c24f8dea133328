import { expect } from 'chai';
import { IN_A_MONTH } from '../../../../support/times.ts';
import {
  type SignInWorld,
  createSignInWorld,
  headersOf,
} from '../../../../support/servers/identity/sign-in-world.ts';
import { claimsOfEditor } from '../../../../support/servers/identity/claim-shapes.ts';
import { type Wanderer, createWanderer, signIn } from '../../../../support/servers/identity/wanderer.ts';

describe('people whose groups give less than before', () => {
  let world: SignInWorld;
  let claims: object = {};
  before(async () => {
    world = await createSignInWorld((account) => ({ ...claimsOfEditor(account), ...claims }), {
      OIDC_PROJECT_ROLES: 'shop-team=shop:Owner',
    });
    await world.api.post('/api/admin/projects', { id: 'shop', name: 'The shop' });
  });

  type Person = { readonly browser: Wanderer; readonly token: string };

  async function anAdmin(account: string): Promise<Person> {
    claims = { groups: ['admins', 'shop-team'] };
    const browser = await world.signedIn(account);
    const answer = await browser.fetch(`${world.url}/api/admin/user/tokens`, {
      method: 'POST',
      headers: headersOf(browser, world.url),
      body: JSON.stringify({ description: 'of a script', expiresAt: IN_A_MONTH }),
    });
    const { secret } = (await answer.json()) as { secret: string };
    const person = { browser, token: secret };
    expect(await rolesOf(person.token)).to.deep.equal({ rootRole: 'Admin', isManager: true });
    return person;
  }

  /** As the token shows them: the root role, and whether it manages the project. */
  async function rolesOf(token: string): Promise<object> {
    const { body } = await world.api.get('/api/admin/user', { token });
    const access = await world.api.get('/api/admin/projects/shop/access', { token });
    const { rootRole } = (body as { user: { rootRole: string } }).user;
    return { rootRole, isManager: access.status === 200 };
  }

  const isIn = async ({ browser }: Person): Promise<boolean> =>
    (await browser.fetch(`${world.url}/api/admin/user`)).status === 200;

  it('lose root role, roles of projects and sessions if no group lets them in, also for personal tokens', async () => {
    const ana = await anAdmin('ana');
    claims = { groups: ['strangers'] };
    expect((await signIn(createWanderer(), world.url, 'ana')).status).to.equal(403);
    expect(await rolesOf(ana.token)).to.deep.equal({ rootRole: 'None', isManager: false });
    expect((await world.api.get('/api/admin/user-admin', { token: ana.token })).status).to.equal(403);
    expect(await isIn(ana)).to.equal(false);
    const { rows } = await world.db.query(
      `select event, user_name from audit where user_name = 'ana@example.org' order by sequence desc limit 3`,
    );
    expect(rows.map((row: { event?: string }) => row.event)).to.deep.equal([
      'project-access-removed',
      'sessions-ended',
      'user-updated',
    ]);
    claims = { groups: ['editors'] };
    await world.signedIn('ana');
    expect(await rolesOf(ana.token)).to.deep.equal({ rootRole: 'Editor', isManager: false });
  });

  it('lose them also if their new address belongs to another user, so that there is no sign-in', async () => {
    const ben = await anAdmin('ben');
    await world.api.post('/api/admin/user-admin', { email: 'taken@example.org', rootRole: 'Viewer' });
    claims = { groups: ['viewers'], email: 'taken@example.org' };
    expect((await signIn(createWanderer(), world.url, 'ben')).status).to.equal(409);
    expect(await rolesOf(ben.token)).to.deep.equal({ rootRole: 'Viewer', isManager: false });
  });

  it('keep everything if the groups are unknown', async () => {
    const cleo = await anAdmin('cleo');
    claims = { groups: undefined };
    expect((await signIn(createWanderer(), world.url, 'cleo')).status).to.equal(403);
    expect(await rolesOf(cleo.token)).to.deep.equal({ rootRole: 'Admin', isManager: true });
    expect(await isIn(cleo)).to.equal(true);
  });
});
