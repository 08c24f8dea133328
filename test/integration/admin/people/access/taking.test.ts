import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { PROJECT_PERMISSIONS, type ProjectPermission, createSecret } from '#base/tokens';
import { type Answer, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { someByDay } from '../../../../support/nightly.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';

const ACCESS = '/api/admin/projects/default/access';
const BUILT_IN = ['Viewer', 'Editor', 'Owner'];
/** Without these nobody manages roles at all. */
const NEEDED = ['READ', 'MANAGE_ACCESS'] as const;

type Caller = { readonly title: string; readonly token: string; readonly has: readonly ProjectPermission[] };

describe('whoever takes a right', () => {
  const world = sharedAdminWorld();
  const permissionsOf = new Map<string, readonly string[]>();
  before(async () => {
    for (const permission of PROJECT_PERMISSIONS) {
      await putRole(`only ${permission}`, [permission]);
      const others = PROJECT_PERMISSIONS.filter((other) => other !== permission);
      await putRole(`all but ${permission}`, others);
    }
    await putRole('manager', NEEDED);
    const { body } = await world.api.get('/api/admin/roles');
    for (const { name, permissions } of (body as { roles: { name: string; permissions: string[] }[] }).roles)
      permissionsOf.set(name, permissions);
    expect([...permissionsOf.keys()]).to.include.members(BUILT_IN);
  });

  let callers = 0;

  async function putRole(name: string, permissions: readonly string[]): Promise<void> {
    const answer = await world.api.put(`/api/admin/roles/${encodeURIComponent(name)}`, { permissions });
    expect(answer.status).to.equal(200);
  }

  async function callerWith(role: string): Promise<Caller> {
    callers += 1;
    const name = `of ${role} ${callers}`;
    const { token } = await aUser(world.api, 'None', name);
    await give({ token: ADMIN_TOKEN, user: name, role });
    return {
      title: role,
      token,
      has: PROJECT_PERMISSIONS.filter((one) => permissionsOf.get(role)?.includes(one)),
    };
  }

  const give = ({ token, ...body }: { token: string; user: string; role: string }): Promise<Answer> =>
    world.api.post(ACCESS, body, { token });

  const take = (token: string, userId: number, role: string): Promise<Answer> =>
    world.api.delete(`${ACCESS}/${userId}/${encodeURIComponent(role)}`, { token });

  it('could give it: every role, by every set of permissions that manages roles', async () => {
    const holder = await aUser(world.api, 'None', 'holder');
    const managers = ['Owner', 'manager', ...PROJECT_PERMISSIONS.map((one) => `all but ${one}`)].filter(
      (role) => NEEDED.every((needed) => permissionsOf.get(role)?.includes(needed)),
    );
    const refusals = { give: 0, take: 0 };
    const asked = someByDay(managers, 1 / 3);
    for (const manager of asked) {
      const { token, has } = await callerWith(manager);
      for (const [role, permissions] of permissionsOf) {
        const mayDoAll = permissions.every((one) => has.some((held) => held === one));
        const expected = mayDoAll ? 200 : 403;
        const change = `${role}, by ${manager}`;
        expect((await give({ token, user: 'holder', role })).status, `give ${change}`).to.equal(expected);
        if (!mayDoAll) await give({ token: ADMIN_TOKEN, user: 'holder', role });
        expect((await take(token, holder.id, role)).status, `take ${change}`).to.equal(expected);
        if (mayDoAll) continue;
        refusals.give += 1;
        refusals.take += 1;
      }
    }
    expect(managers.length).to.be.greaterThan(10);
    expect(refusals.take)
      .to.equal(refusals.give)
      .and.to.be.greaterThan(5 * asked.length);
  });

  it('has it in every environment, so a limited Owner takes nothing', async () => {
    const { token } = await aUser(world.api, 'None', 'limited');
    await give({ token: ADMIN_TOKEN, user: 'limited', role: 'manager' });
    const limited = { user: 'limited', role: 'Owner', environments: ['development'] };
    await world.api.post(ACCESS, limited);
    const holder = await aUser(world.api, 'None', 'whole');
    await give({ token: ADMIN_TOKEN, user: 'whole', role: 'Owner' });
    expect((await take(token, holder.id, 'Owner')).status).to.equal(403);
    expect((await give({ token, user: 'whole', role: 'Owner' })).status).to.equal(403);
  });

  it('could create it: every type of API token, of one project and of all', async () => {
    const owner = await callerWith('Owner');
    for (const type of ['admin', 'client', 'frontend', 'scan'] as const)
      for (const projects of [['default'], []]) {
        const environment = 'development';
        const created = await world.api.post(
          '/api/admin/api-tokens',
          { tokenName: 'own', type, environment, projects: projects.length === 0 ? ['*'] : projects },
          { token: owner.token },
        );
        const secret = createSecret(projects, environment);
        const token = { secret, name: 'theirs', type, environment, projects, expiresAt: undefined };
        const stored = await createTokens(world.db).create(token);
        const revoked = await world.api.delete(`/api/admin/api-tokens/${stored?.id ?? ''}`, {
          token: owner.token,
        });
        const title = `${type} of ${projects.join() || 'all'}: created ${created.status}, revoked ${revoked.status}`;
        expect(created.status === 201, title).to.equal(revoked.status === 200);
      }
  });

  it('could turn features off and set the approvals, if a token of theirs is to be trusted', async () => {
    const NEEDS = ['MANAGE_TOKENS', 'UPDATE_FEATURE', 'UPDATE_PROJECT'];
    const environment = 'production';
    for (const [role, permissions] of permissionsOf) {
      const name = `trusting ${role}`;
      const { token } = await aUser(world.api, 'None', name);
      await give({ token: ADMIN_TOKEN, user: name, role });
      const statusOf = async (projects: readonly string[]): Promise<number> => {
        const body = { tokenName: name, type: 'client', environment, projects, trusted: true };
        return (await world.api.post('/api/admin/api-tokens', body, { token })).status;
      };
      const mayTrust = NEEDS.every((needed) => permissions.includes(needed));
      const expected = mayTrust ? [201] : [403, 404];
      expect(await statusOf(['default']), role).to.be.oneOf(expected);
      expect(await statusOf(['*']), `${role}, all projects`).to.equal(403);
    }
  });

  it('could do the same in that environment', async () => {
    const { token } = await aUser(world.api, 'None', 'developer');
    await world.api.post(ACCESS, { user: 'developer', role: 'Owner', environments: ['development'] });
    const trusting = async (environment: string): Promise<number> => {
      const body = { tokenName: 't', type: 'client', environment, projects: ['default'], trusted: true };
      return (await world.api.post('/api/admin/api-tokens', body, { token })).status;
    };
    expect(await trusting('development')).to.equal(201);
    expect(await trusting('production')).to.equal(403);
  });
});
