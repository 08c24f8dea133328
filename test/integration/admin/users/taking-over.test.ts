import { expect } from 'chai';
import { aUser, operationsOf } from '../../../support/admin-api/admin.ts';
import { countBlocked } from '../../../support/stack/engines/postgres/blocked-statements.ts';
import { eventually } from '../../../support/eventually.ts';
import { type SignInWorld, createSignInWorld } from '../../../support/servers/identity/sign-in-world.ts';
import { IN_A_MONTH } from '../../../support/times.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';

const NAME = 'eva@example.org';
const TOKEN = { description: 'for Eva', expiresAt: IN_A_MONTH };

describe('a user whom an identity provider signs in', () => {
  let world: SignInWorld;
  let eva: number;
  const secretsOf = (value: unknown): string[] =>
    typeof value !== 'object' || value === null
      ? []
      : Object.entries(value).flatMap(([key, member]) =>
          key === 'secret' && typeof member === 'string' ? [member] : secretsOf(member),
        );

  before(async () => {
    world = await createSignInWorld((account) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: ['editors'],
    }));
    await world.signedIn('eva');
    const { rows } = await world.db.query<{ id: number }>('select id from users where email = $1', [NAME]);
    eva = rows[0]?.id ?? 0;
  });

  async function nameOf(token: string): Promise<string | null> {
    const { body } = await world.api.get('/api/admin/user', { token });
    const { user } = body as { user?: { email: string | null; username: string | null } };
    return user?.email ?? user?.username ?? null;
  }

  it('is no caller for any secret that an Admin gets, by any operation that names a user', async () => {
    const admin = await aUser(world.api, 'Admin', 'admin');
    const aboutUsers = operationsOf(world.api).filter(
      ({ template, body }) => template.includes('{userId}') || JSON.stringify(body ?? {}).includes('"user":'),
    );
    const ids = aboutUsers.map(({ operationId }) => operationId);
    expect(ids).to.include.members(['createPersonalTokenOfUser', 'updateUser', 'grantAccess', 'deleteUser']);
    const secrets: string[] = [];
    // The deletion comes last.
    const ordered = aboutUsers.toSorted((one) => (one.operationId === 'deleteUser' ? 1 : -1));
    for (const { method, template, body } of ordered)
      for (const token of [admin.token, ADMIN_TOKEN]) {
        const path = template
          .replace('{userId}', String(eva))
          .replace('{projectId}', 'default')
          .replace('{roleName}', 'Editor')
          .replaceAll(/\{\w+\}/g, '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11');
        const example: object = typeof body === 'object' && body !== null ? body : {};
        const named = 'user' in example ? { ...example, user: NAME } : example;
        const sent = body === undefined ? {} : { body: named };
        const answer = await world.api.call(method.toUpperCase(), path, { token, ...sent });
        secrets.push(...secretsOf(answer.body));
      }
    for (const secret of secrets) expect(await nameOf(secret)).not.to.equal(NAME);
  });

  it('keeps the name after the deletion: no Admin gives it to anybody else, but the provider does', async () => {
    for (const user of [{ email: NAME }, { email: 'EVA@example.org' }]) {
      const answer = await world.api.post('/api/admin/user-admin', { ...user, rootRole: 'Viewer' });
      expect(answer.status, user.email).to.equal(409);
    }
    const again = await world.signedIn('eva');
    const { status } = await again.fetch(`${world.url}/api/admin/user`);
    expect(status).to.equal(200);
  });

  it('keeps the name also from a user who is created while an Admin deletes the person', async () => {
    await world.signedIn('kim');
    const client = await world.db.connect();
    await client.query('begin');
    await client.query(`update users set deleted_at = now() where email = 'kim@example.org'`);
    const created = world.api.post('/api/admin/user-admin', { email: 'kim@example.org', rootRole: 'Viewer' });
    await eventually(
      () => countBlocked(world),
      (blocked) => blocked > 0,
    );
    await client.query('commit');
    client.release();
    expect((await created).status).to.equal(409);
  });

  it('has the display name that the provider says', async () => {
    await world.signedIn('mia');
    const { rows } = await world.db.query<{ id: number }>(
      `select id from users where email = 'mia@example.org'`,
    );
    const path = `/api/admin/user-admin/${rows[0]?.id ?? 0}`;
    const renamed = await world.api.put(path, { rootRole: 'Editor', name: NAME });
    expect(renamed.status).to.equal(409);
    expect((await world.api.put(path, { rootRole: 'Viewer' })).status).to.equal(200);
  });

  it('takes over no token that somebody else has made, wherever it came from', async () => {
    await world.signedIn('lea');
    const lea = await world.db.query<{ id: number }>(`select id from users where email = 'lea@example.org'`);
    const id = lea.rows[0]?.id ?? 0;
    const refused = await world.api.post(`/api/admin/user-admin/${id}/tokens`, TOKEN);
    expect(refused.status).to.equal(409);
    const secret = 'user:a-token-that-an-import-has-brought-0123456789';
    await world.db.query(
      `insert into personal_access_tokens (id, user_id, secret_hash, description, expires_at, created_by)
       values (gen_random_uuid(), $1, encode(sha256(convert_to($2, 'UTF8')), 'hex'), 'x', now() + interval '1 day', -42)`,
      [id, secret],
    );
    for (const path of ['/api/admin/user/tokens', '/api/admin/user/tokens/take-over']) {
      const taken = await world.api.post(path, TOKEN, { token: secret });
      expect(taken.status, path).to.equal(409);
    }
  });
});
