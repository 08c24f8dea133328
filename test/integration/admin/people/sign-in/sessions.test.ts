import { expect } from 'chai';
import { createSessions } from '#base/auth';
import { FlagmeterError } from '#base/runtime';
import { callCli, rowsOf } from '../../../../support/stack/processes/cli-in-process.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';
import {
  type SignInWorld,
  CSRF,
  SESSION,
  createSignInWorld,
  headersOf,
} from '../../../../support/servers/identity/sign-in-world.ts';
import type { Wanderer } from '../../../../support/servers/identity/wanderer.ts';
import { eventually } from '../../../../support/eventually.ts';

describe('sessions', () => {
  let world: SignInWorld;
  before(async () => {
    world = await createSignInWorld((account) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: ['editors'],
    }));
  });

  const statusOf = async (
    wanderer: Wanderer,
    path = '/api/admin/user',
    init?: RequestInit,
  ): Promise<number> => (await wanderer.fetch(`${world.url}${path}`, init)).status;
  const create = (name: string) => ({ method: 'POST', body: JSON.stringify({ name }) });
  const FEATURES = '/api/admin/projects/default/features';

  async function userOf(wanderer: Wanderer): Promise<{ id: number; sessionId: string }> {
    const answer = await wanderer.fetch(`${world.url}/api/admin/user`);
    const { user, authentication } = (await answer.json()) as {
      user: { id: number };
      authentication: { tokenId: string };
    };
    return { id: user.id, sessionId: authentication.tokenId };
  }

  /** Changes the sessions of an account before any process has read them. */
  const change = (account: string, set: string) =>
    world.db.query(`update sessions set ${set} where user_id = (select id from users where email = $1)`, [
      `${account}@example.org`,
    ]);

  it('names the user as the author of events', async () => {
    const wanderer = await world.signedIn('ana');
    const init = { ...create('by-ana'), headers: headersOf(wanderer, world.url) };
    expect(await statusOf(wanderer, FEATURES, init)).to.equal(201);
    const { id, sessionId } = await userOf(wanderer);
    const { rows } = await world.db.query(
      `select created_by, created_by_user_id, token from events where feature_name = 'by-ana'`,
    );
    expect(rows).to.deep.equal([
      {
        created_by: 'ana@example.org',
        created_by_user_id: id,
        token: { id: sessionId, createdByUserId: id, createdByTokenId: null },
      },
    ]);
  });

  it('changes nothing for pages of other origins, and nothing without the CSRF token of the session', async () => {
    const [wanderer, other] = [await world.signedIn('ana'), await world.signedIn('other')];
    const headers = headersOf(wanderer, world.url);
    const { origin: _origin, ...withoutOrigin } = headers;
    const { 'x-csrf-token': _token, ...withoutToken } = headers;
    const forged: readonly Record<string, string>[] = [
      withoutOrigin,
      withoutToken,
      { ...headers, origin: 'https://evil.example' },
      { ...headers, origin: 'null' },
      { ...headers, origin: world.provider.issuer },
      { ...headers, 'x-csrf-token': '' },
      { ...headers, 'x-csrf-token': other.cookie(world.url, CSRF) ?? '' },
      { ...headers, 'x-csrf-token': wanderer.cookie(world.url, SESSION) ?? '' },
    ];
    for (const each of forged)
      expect(await statusOf(wanderer, FEATURES, { ...create('forged'), headers: each })).to.equal(403);
    expect(await statusOf(wanderer, '/sign-out', { method: 'POST', headers: withoutToken })).to.equal(403);
    expect(await statusOf(wanderer, `${FEATURES}/forged`)).to.equal(404);
    expect(await statusOf(wanderer)).to.equal(200);
  });

  it('is no token, and a token is no session', async () => {
    const wanderer = await world.signedIn('ana');
    const authorization = wanderer.cookie(world.url, SESSION) ?? '';
    expect((await fetch(`${world.url}/api/admin/user`, { headers: { authorization } })).status).to.equal(401);
    const cookie = `${SESSION}=${ADMIN_TOKEN}`;
    expect((await fetch(`${world.url}/api/admin/user`, { headers: { cookie } })).status).to.equal(401);
    const twice = `${SESSION}=${authorization}; ${SESSION}=another`;
    expect((await fetch(`${world.url}/api/admin/user`, { headers: { cookie: twice } })).status).to.equal(401);
  });

  it('opens /mcp to nobody, where agents use tokens', async () => {
    const wanderer = await world.signedIn('ana');
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const init = { method: 'POST', headers: headersOf(wanderer, world.url), body };
    expect(await statusOf(wanderer, '/mcp', init)).to.equal(401);
  });

  it('stores only the hash of the secret', async () => {
    const wanderer = await world.signedIn('ana');
    const { rows } = await world.db.query<{ row: string }>(
      'select to_jsonb(s)::text as row from sessions as s',
    );
    expect(rows.map(({ row }) => row).join()).not.to.include(wanderer.cookie(world.url, SESSION));
  });

  it('ends when it was not used for long', async () => {
    const wanderer = await world.signedIn('idler');
    await change('idler', `seen_at = now() - interval '62 minutes'`);
    expect(await statusOf(wanderer)).to.equal(401);
  });

  it('goes on with every use', async () => {
    const wanderer = await world.signedIn('user');
    await change('user', `seen_at = now() - interval '59 minutes'`);
    expect(await statusOf(wanderer)).to.equal(200);
    const { rows } = await world.db.query(
      `select from sessions as s join users as u on u.id = s.user_id
       where u.email = 'user@example.org' and s.seen_at > now() - interval '58 minutes'`,
    );
    expect(rows).to.have.lengthOf(1);
  });

  it('ends at its last moment, however often it is used', async () => {
    const wanderer = await world.signedIn('lasting');
    await change('lasting', `ends_at = now() + interval '3 seconds'`);
    await eventually(
      () => statusOf(wanderer),
      (status) => status === 401,
    );
  });

  it('has ended if the clock of Postgres was ahead when it began or was used last', async () => {
    const day = "interval '1 day'";
    for (const [index, [set, expected]] of [
      [`created_at = now() + ${day}, ends_at = now() + 2 * ${day}`, 401],
      [`seen_at = now() + ${day}, ends_at = now() + 2 * ${day}`, 401],
      [`created_at = now() + interval '20 seconds', seen_at = now() + interval '20 seconds'`, 200],
    ].entries() as Iterable<[number, [string, number]]>) {
      const account = `ahead-${index}`;
      const wanderer = await world.signedIn(account);
      await change(account, set);
      expect(await statusOf(wanderer), set).to.equal(expected);
    }
  });

  it('ends at once if its user ends it elsewhere', async () => {
    const [here, there] = [await world.signedIn('ana'), await world.signedIn('ana')];
    const { sessionId } = await userOf(there);
    const headers = headersOf(here, world.url);
    const path = `/api/admin/user/sessions/${sessionId}`;
    expect(await statusOf(here, path, { method: 'DELETE', headers })).to.equal(200);
    expect(await statusOf(here, path, { method: 'DELETE', headers })).to.equal(404);
    expect(await statusOf(there)).to.equal(401);
    expect(await statusOf(here)).to.equal(200);
  });

  it('is listed for its user and for Admins, and ends with the user', async () => {
    const wanderer = await world.signedIn('leaver');
    const { id, sessionId } = await userOf(wanderer);
    const own = (await (await wanderer.fetch(`${world.url}/api/admin/user/sessions`)).json()) as {
      sessions: { id: string; userId: number }[];
    };
    expect(own.sessions.map((one) => one.id)).to.deep.equal([sessionId]);
    const path = `/api/admin/user-admin/${id}`;
    const { body } = await world.api.get(`${path}/sessions`);
    expect(body).to.deep.equal(own);
    await world.api.delete(path);
    expect(await statusOf(wanderer)).to.equal(401);
    const again = await world.signedIn('leaver');
    expect((await userOf(again)).id).not.to.equal(id);
    await world.api.delete(`/api/admin/user-admin/${(await userOf(again)).id}/sessions`);
    expect(await statusOf(again)).to.equal(401);
  });

  it('ends with the sign-out, which says where the provider ends its own', async () => {
    const wanderer = await world.signedIn('ana');
    const secret = wanderer.cookie(world.url, SESSION) ?? '';
    const answer = await wanderer.fetch(`${world.url}/sign-out`, {
      method: 'POST',
      headers: headersOf(wanderer, world.url),
    });
    expect(answer.status).to.equal(200);
    const { endSessionUrl } = (await answer.json()) as { endSessionUrl: string };
    expect(endSessionUrl).to.match(new RegExp(`^${world.provider.issuer}/session/end\\?`));
    expect([wanderer.cookie(world.url, SESSION), wanderer.cookie(world.url, CSRF)]).to.deep.equal([
      undefined,
      undefined,
    ]);
    const cookie = `${SESSION}=${secret}`;
    expect((await fetch(`${world.url}/api/admin/user`, { headers: { cookie } })).status).to.equal(401);
  });

  it('is listed and ended by the command line', async () => {
    const wanderer = await world.signedIn('remote');
    const { sessionId } = await userOf(wanderer);
    const { output } = await callCli(world, 'session', 'list');
    expect(rowsOf(output).find(({ id }) => id === sessionId)).to.include({
      user: 'remote@example.org',
      role: 'Editor',
    });
    const sessions = JSON.parse((await callCli(world, 'session', 'list', '--json')).output) as {
      id: string;
    }[];
    const listed = sessions.find(({ id }) => id === sessionId);
    expect(listed).to.have.all.keys('id', 'user', 'role', 'createdAt', 'seenAt', 'endsAt');
    await callCli(world, 'session', 'revoke', sessionId.toUpperCase());
    await eventually(
      () => statusOf(wanderer),
      (status) => status === 401,
    );
    const again = await callCli(world, 'session', 'revoke', sessionId).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(FlagmeterError).with.property('code', 'not-found');
  });

  it('is deleted a day after its end', async () => {
    await world.signedIn('gone');
    await change('gone', `ends_at = now() - interval '25 hours'`);
    await createSessions(world.db, world.config.auth.sessions.idleMs).purge();
    const { rows } = await world.db.query(
      `select u.email from sessions as s join users as u on u.id = s.user_id where u.email like 'gone@%'`,
    );
    expect(rows).to.deep.equal([]);
    expect((await world.db.query('select from sessions')).rowCount).to.be.greaterThan(0);
  });

  it('is one of the newest twenty of its user', async () => {
    const first = await world.signedIn('many');
    const { id } = await userOf(first);
    await world.db.query(
      `insert into sessions (id, user_id, secret_hash, ends_at, created_at)
       select gen_random_uuid(), $1, 'hash ' || n, now() + interval '1 hour', now() + n * interval '1 second'
       from generate_series(1, 19) as n`,
      [id],
    );
    const newest = await world.signedIn('many');
    const { rows } = await world.db.query('select from sessions where user_id = $1 and revoked_at is null', [
      id,
    ]);
    expect(rows).to.have.lengthOf(20);
    expect(await statusOf(newest)).to.equal(200);
    expect(await statusOf(first)).to.equal(401);
  });
});
