import { expect } from 'chai';
import { FlagmeterError } from '#base/runtime';
import { type SignInWorld, createSignInWorld } from '../../../../support/servers/identity/sign-in-world.ts';
import { createWanderer, signIn } from '../../../../support/servers/identity/wanderer.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';

type Role = { readonly userId: number; readonly role: string; readonly environments: string[] };

const ACCESS = '/api/admin/projects/shop/access';

describe('roles of projects by groups of the identity provider', () => {
  let world: SignInWorld;
  const groups = new Map<string, string[]>();
  before(async () => {
    const claimsOf = (account: string) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: groups.get(account) ?? [],
    });
    world = await createSignInWorld(claimsOf, {
      OIDC_PROJECT_ROLES: [
        'shop-team=shop:Editor:development',
        'shop-leads=shop:Owner',
        'staff=shop:Viewer',
        'staff=unknown:Viewer',
        'staff=shop:Unknown',
        'staff=shop:Editor:unknown',
      ].join(),
    });
    await world.api.post('/api/admin/projects', { id: 'shop', name: 'The shop' });
  });

  async function rolesOf(account: string): Promise<string[]> {
    const { body } = await world.api.get(ACCESS);
    return (body as { access: (Role & { userName: string; fromGroups: boolean })[] }).access
      .filter(({ userName }) => userName === `${account}@example.org`)
      .map(
        ({ role, environments, fromGroups }) =>
          `${role} ${environments.join()} ${fromGroups ? 'by groups' : 'by hand'}`,
      );
  }

  const seenBy = async (wanderer: { fetch: (url: string) => Promise<Response> }): Promise<number> =>
    (await wanderer.fetch(`${world.url}/api/admin/projects/shop`)).status;

  it('let somebody in who has no root role, and permit what the role permits', async () => {
    groups.set('ana', ['shop-team']);
    const wanderer = await world.signedIn('ana');
    expect(await rolesOf('ana')).to.deep.equal(['Editor development by groups']);
    expect(await seenBy(wanderer)).to.equal(200);
    const { permissions, user } = (await (await wanderer.fetch(`${world.url}/api/admin/user`)).json()) as {
      user: object;
      permissions: unknown[];
    };
    expect(user).to.include({ rootRole: 'None' });
    expect(permissions).to.deep.include({
      permission: 'UPDATE_FEATURE',
      project: 'shop',
      environments: ['development'],
    });
  });

  it('change with the groups at the next sign-in, also for earlier sessions and personal tokens', async () => {
    groups.set('ben', ['shop-team', 'shop-leads']);
    const earlier = await world.signedIn('ben');
    expect(await rolesOf('ben')).to.deep.equal(['Editor development by groups', 'Owner  by groups']);
    groups.set('ben', ['shop-team', 'viewers']);
    await world.signedIn('ben');
    expect(await rolesOf('ben')).to.deep.equal(['Editor development by groups']);
    expect((await earlier.fetch(`${world.url}${ACCESS}`)).status).to.equal(403);
  });

  it('leave alone what somebody gave by hand, which nobody takes by a group', async () => {
    groups.set('cleo', ['shop-team']);
    await world.signedIn('cleo');
    await world.api.post(ACCESS, { user: 'cleo@example.org', role: 'Editor' });
    await world.api.post(ACCESS, { user: 'cleo@example.org', role: 'Owner' });
    const both = ['Editor  by hand', 'Editor development by groups', 'Owner  by hand'];
    expect(await rolesOf('cleo')).to.deep.equal(both);
    groups.set('cleo', ['staff', 'viewers']);
    await world.signedIn('cleo');
    expect(await rolesOf('cleo')).to.deep.equal(['Editor  by hand', 'Owner  by hand', 'Viewer  by groups']);
  });

  it('are revoked at the provider only', async () => {
    groups.set('dora', ['shop-team']);
    await world.signedIn('dora');
    const { body } = await world.api.get(ACCESS);
    const { userId = 0 } =
      (body as { access: (Role & { userName: string })[] }).access.find(
        ({ userName }) => userName === 'dora@example.org',
      ) ?? {};
    const revoked = await world.api.delete(`${ACCESS}/${userId}/Editor`);
    expect(revoked.status).to.equal(409);
    expect(revoked.body).to.include({ name: 'OwnedByProvider' });
    const command = await callCli(world, 'access', 'revoke', 'shop', 'dora@example.org', 'Editor').catch(
      (error: unknown) => error,
    );
    expect(command)
      .to.be.instanceOf(FlagmeterError)
      .with.property('message')
      .that.includes('Groups of the identity provider give this role');
    expect(await rolesOf('dora')).to.have.length(1);
  });

  it('end when no group lets the person in any more', async () => {
    groups.set('eli', ['shop-leads']);
    await world.signedIn('eli');
    groups.set('eli', []);
    expect((await signIn(createWanderer(), world.url, 'eli')).status).to.equal(403);
    expect(await rolesOf('eli')).to.deep.equal([]);
  });

  it('are not given if a project, role or environment does not exist', async () => {
    groups.set('finn', ['staff']);
    await world.signedIn('finn');
    expect(await rolesOf('finn')).to.deep.equal(['Viewer  by groups']);
  });

  it('are recorded as events of the project, once', async () => {
    groups.set('gus', ['shop-team']);
    for (let times = 0; times < 2; times += 1) await world.signedIn('gus');
    groups.set('gus', ['viewers']);
    await world.signedIn('gus');
    const { rows } = await world.db.query(
      `select type, project, created_by
       from events
       where coalesce(data, pre_data) ->> 'userName' = 'gus@example.org'
         and type like 'project-access-%'
       order by id`,
    );
    expect(rows).to.deep.equal(
      ['project-access-added', 'project-access-removed'].map((type) => ({
        type,
        project: 'shop',
        created_by: 'system',
      })),
    );
  });

  it('are entries of the audit that name the person, also when no group lets the person in', async () => {
    groups.set('hana', ['shop-team']);
    await world.signedIn('hana');
    groups.set('hana', []);
    await signIn(createWanderer(), world.url, 'hana');
    const { rows } = await world.db.query(
      `select event, operation, address, user_name, user_id = u.id as is_hana
       from audit
       cross join (select id from users where email = 'hana@example.org') as u
       where user_name = 'hana@example.org'
       order by sequence`,
    );
    const who = { user_name: 'hana@example.org', is_hana: true, operation: 'signIn', address: '127.0.0.1' };
    expect(rows).to.deep.equal(
      ['user-created', 'project-access-added', 'signed-in', 'sessions-ended', 'project-access-removed'].map(
        (event) => ({ event, ...who }),
      ),
    );
  });
});
