import { expect } from 'chai';
import { startIngest } from '../../../../services/ingest/app.ts';
import { aUser, sharedAdminWorld, runAdmin } from '../../../support/admin-api/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

describe('tokens', () => {
  const world = sharedAdminWorld();

  it('are created with a secret that is stored hashed and shown once, and revoked at once', async () => {
    const { api } = world;
    const created = await api.post('/api/admin/api-tokens', { tokenName: 'second', type: 'ADMIN' });
    expect(created.status).to.equal(201);
    const { id, secret } = created.body as { id: string; secret: string };
    const status = async () => (await api.get('/api/admin/strategies', { token: secret })).status;
    expect(await status()).to.equal(200);
    const listed = await api.get('/api/admin/api-tokens');
    expect(JSON.stringify(listed.body)).to.contain(id).and.not.contain(secret);
    const { rows } = await world.db.query(
      `select 1
       from api_tokens as t, events as e
       where t::text like '%' || $1 || '%' or e::text like '%' || $1 || '%'`,
      [secret],
    );
    expect(rows).to.deep.equal([]);
    expect((await api.delete(`/api/admin/api-tokens/${id}`)).status).to.equal(200);
    await eventually(status, (now) => now === 401);
    expect((await api.delete(`/api/admin/api-tokens/${id}`)).status).to.equal(404);
    expect((await api.delete('/api/admin/api-tokens/x')).status).to.equal(404);
  });

  it('must name existing things, and not have expired', async () => {
    const { api } = world;
    for (const body of [
      { tokenName: 'x', type: 'client', environment: 'moon' },
      { tokenName: 'x', type: 'client', projects: ['nowhere'] },
      { tokenName: 'x', type: 'king' },
      { tokenName: 'x', type: 'client', expiresAt: '2020-01-01T00:00:00Z' },
      { type: 'client' },
    ]) {
      expect((await api.post('/api/admin/api-tokens', body)).body).to.include({ name: 'ValidationError' });
    }
    const scoped = { tokenName: 'x', type: 'backend', environment: 'production', projects: ['default'] };
    const { body } = await api.post('/api/admin/api-tokens', scoped);
    expect(body).to.include({ type: 'client', environment: 'production' });
    expect((body as { secret: string }).secret).to.match(/^default:production\./);
  });

  it('that act have no name that a person has or may get, nor one of a system actor', async () => {
    const { api } = world;
    await api.post('/api/admin/user-admin', {
      username: 'ben',
      email: 'ben@example.org',
      rootRole: 'Viewer',
    });
    for (const tokenName of [
      'ben',
      'BEN',
      'bén',
      'ben@example.org',
      'eva\uff20example.org',
      'system',
      'unknown',
    ])
      for (const type of ['admin', 'scan']) {
        const { status } = await api.post('/api/admin/api-tokens', { tokenName, type });
        expect(status, `${type} ${tokenName}`).to.equal(400);
      }
    const token = { tokenName: 'ben', type: 'client', environment: 'production' };
    expect((await api.post('/api/admin/api-tokens', token)).status).to.equal(201);
  });

  it('that act keep their name to themselves, whichever way a user comes, until they are revoked', async () => {
    const { api, db } = world;
    const { body } = await api.post('/api/admin/api-tokens', { tokenName: 'Robót', type: 'scan' });
    const robot = { username: 'robot', rootRole: 'Viewer' };
    const refusalOf = (statement: string) =>
      db.query(statement).then(
        () => 'none',
        (error: unknown) => String(error),
      );
    expect((await api.post('/api/admin/user-admin', robot)).status).to.equal(409);
    for (const statement of [
      `insert into users (username) values ('robot')`,
      `insert into users (username, issuer, subject) values ('ROBOT', 'https://a', 'b')`,
      `update users set username = 'robot' where username = 'ben'`,
    ])
      expect(await refusalOf(statement), statement).to.include('A token that acts has the name');
    for (const name of ['ben', 'ana@example.org'])
      expect(
        await refusalOf(
          `insert into api_tokens (id, secret_hash, token_name, type, environment)
           values (gen_random_uuid(), '${name}', '${name}', 'admin', '*')`,
        ),
      ).to.include('A person has or may get the name');
    await api.delete(`/api/admin/api-tokens/${(body as { id: string }).id}`);
    expect((await api.post('/api/admin/user-admin', robot)).status).to.equal(201);
  });

  it('may have their own rate limit, which is shown', async () => {
    const { api } = world;
    const body = { tokenName: 'busy', type: 'client', environment: 'production', rateLimit: 600 };
    const created = await api.post('/api/admin/api-tokens', body);
    expect(created.body).to.include({ tokenName: 'busy', rateLimit: 600 });
    const { body: listed } = await api.get('/api/admin/api-tokens');
    const { tokens } = listed as { tokens: { tokenName: string; rateLimit: number | null }[] };
    const limits = tokens.map(({ tokenName, rateLimit }) => [tokenName, rateLimit]);
    expect(limits)
      .to.deep.include(['busy', 600])
      .and.to.satisfy(() => limits.some(([, limit]) => limit === null));
    const rejected = await api.post('/api/admin/api-tokens', { ...body, rateLimit: -1 });
    expect(rejected.body).to.include({ name: 'ValidationError' });
  });

  it('may have their own reasons that count as no, in any case', async () => {
    const { api } = world;
    const body = { tokenName: 'openfeature', type: 'client', environment: 'production' };
    const created = await api.post('/api/admin/api-tokens', { ...body, notEnabledReasons: ['OFF', 'stale'] });
    expect(created.body).to.deep.include({ notEnabledReasons: ['off', 'stale'] });
    const usual = await api.post('/api/admin/api-tokens', { ...body, notEnabledReasons: null });
    expect(usual.body).to.include({ notEnabledReasons: null });
    const rejected = await api.post('/api/admin/api-tokens', { ...body, notEnabledReasons: [''] });
    expect(rejected.body).to.include({ name: 'ValidationError' });
  });

  it('last no longer than the settings allow', async () => {
    const api = await runAdmin(world, { MAX_DAYS_OF_CLIENT_TOKENS: '90', MAX_DAYS_OF_PERSONAL_TOKENS: '7' });
    const token = { tokenName: 'edge', type: 'client', environment: 'production' };
    const refused = async (path: string, body: object) => {
      const answer = await api.post(path, body);
      expect(answer.status).to.equal(400);
      return (answer.body as { message: string }).message;
    };
    const path = '/api/admin/api-tokens';
    expect(await refused(path, token)).to.include('at most 90 days (MAX_DAYS_OF_CLIENT_TOKENS)');
    expect(await refused(path, { ...token, expiresAt: '2099-01-01T00:00:00Z' })).to.include('90 days');
    expect((await api.post(path, { ...token, expiresAt: IN_A_MONTH })).status).to.equal(201);
    expect((await api.post(path, { tokenName: 'x', type: 'admin' })).status).to.equal(201);
    const { body } = await api.post('/api/admin/user-admin', { username: 'ann', rootRole: 'Viewer' });
    const ofUser = `/api/admin/user-admin/${(body as { id: number }).id}/tokens`;
    const personal = { description: 'x', expiresAt: IN_A_MONTH };
    expect(await refused(ofUser, personal)).to.include('at most 7 days (MAX_DAYS_OF_PERSONAL_TOKENS)');
  });

  it('of users belong to them alone, ten at most', async () => {
    const { api } = world;
    const { id, token } = await aUser(api, 'Viewer', 'vera');
    const body = { description: 'more', expiresAt: IN_A_MONTH };
    const path = '/api/admin/user/tokens';
    const made = await Promise.all(Array.from({ length: 12 }, () => api.post(path, body, { token })));
    expect(made.filter(({ status }) => status === 201)).to.have.length(9);
    const { body: listed } = await api.get(path, { token });
    const { pats } = listed as { pats: { id: string }[] };
    expect(pats).to.have.length(10);
    const { body: listedForAdmin } = await api.get(`/api/admin/user-admin/${id}/tokens`);
    expect(withoutUses(listedForAdmin)).to.deep.equal(withoutUses(listed));
    const last = pats[9]?.id ?? '';
    expect((await api.delete(`${path}/${last}`, { token })).status).to.equal(200);
    expect((await api.delete(`${path}/${last}`, { token })).status).to.equal(404);
    const other = pats[8]?.id ?? '';
    expect((await api.delete(`/api/admin/user-admin/${id}/tokens/${other}`)).status).to.equal(200);
    expect((await api.get(path)).body).to.include({ name: 'NoAccessError' });
    expect((await api.post('/api/admin/user-admin/99999/tokens', body)).status).to.equal(404);
  });

  it('of a user who was just deleted, or of nobody, are neither listed nor created', async () => {
    const { api } = world;
    const { id, token } = await aUser(api, 'Viewer', 'gone');
    const [own, theirs] = ['/api/admin/user/tokens', `/api/admin/user-admin/${id}/tokens`];
    expect((await api.get(own, { token })).status).to.equal(200);
    // Deleted directly in the database. The service remembers the token until it gets an announcement.
    await world.db.query('update users set deleted_at = now() where id = $1', [id]);
    const body = { description: 'more', expiresAt: IN_A_MONTH };
    for (const [path, call] of [
      [own, { token }],
      [theirs, {}],
    ] as const) {
      expect((await api.get(path, call)).body, path).to.include({ name: 'NotFoundError' });
      expect((await api.post(path, body, call)).body, path).to.include({ name: 'NotFoundError' });
    }
  });

  it('of users without tokens are an empty list', async () => {
    const { api } = world;
    const { body } = await api.post('/api/admin/user-admin', { username: 'bare', rootRole: 'Viewer' });
    const path = `/api/admin/user-admin/${(body as { id: number }).id}/tokens`;
    expect((await api.get(path)).body).to.deep.equal({ pats: [] });
  });

  it('of users with a taken name, without a name or a role are rejected', async () => {
    const { api } = world;
    await api.post('/api/admin/user-admin', { email: 'a@example.org', rootRole: 'Viewer' });
    const again = await api.post('/api/admin/user-admin', { email: 'a@example.org', rootRole: 'Viewer' });
    expect(again.body).to.include({ name: 'NameExistsError' });
    expect((await api.post('/api/admin/user-admin', { rootRole: 'Viewer' })).status).to.equal(400);
    expect((await api.post('/api/admin/user-admin', { username: 'x', rootRole: 'King' })).status).to.equal(
      400,
    );
    const { body } = await api.get('/api/admin/user-admin');
    expect((body as { users: { id: number }[] }).users.every(({ id }) => id > 0)).to.equal(true);
  });

  it('of users may not send metrics', async () => {
    const { url } = await world.run(startIngest);
    const { token } = await aUser(world.api, 'Admin', 'ada');
    const response = await fetch(`${url}/edge/metrics`, {
      method: 'POST',
      headers: { authorization: token, 'content-type': 'application/json' },
      body: '{"applications":[],"metrics":[]}',
    });
    expect(response.status).to.equal(403);
  });
});

/** The use of a token is written a second later. */
function withoutUses(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (key, value: unknown) => (key.startsWith('seen') ? undefined : value)),
  );
}
