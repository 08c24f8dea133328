import { expect } from 'chai';
import { aUser } from '../../../../support/admin-api/admin.ts';
import {
  type SignInWorld,
  CSRF,
  SESSION,
  SIGN_IN,
  createSignInWorld,
} from '../../../../support/servers/identity/sign-in-world.ts';
import type { Claims } from '../../../../support/servers/identity/identity-provider.ts';
import { type Wanderer, createWanderer, signIn } from '../../../../support/servers/identity/wanderer.ts';
import { eventually } from '../../../../support/eventually.ts';

type Shown = {
  readonly user: {
    readonly id: number;
    readonly email: string;
    readonly name: string;
    readonly rootRole: string;
  };
  readonly authentication: { readonly type: string; readonly tokenId: string; readonly isForeign: boolean };
};

describe('sign-in by OpenID Connect', () => {
  let world: SignInWorld;
  /** The groups of accounts whose name does not begin with their group. */
  const groups = new Map<string, string[]>();
  const claimsOf = (account: string) => ({
    email: `${account}@example.org`,
    email_verified: true,
    name: `Name of ${account}`,
    groups: groups.get(account) ?? ['viewers'],
  });
  before(async () => {
    world = await createSignInWorld(claimsOf);
  });
  afterEach(() => {
    world.provider.lie((claims) => claims);
  });

  async function shownTo(account: string): Promise<Shown> {
    const wanderer = await world.signedIn(account);
    const answer = await wanderer.fetch(`${world.url}/api/admin/user`);
    expect(answer.status).to.equal(200);
    return (await answer.json()) as Shown;
  }

  it('makes a user at the first sign-in, and an event of it, and finds the user at the second', async () => {
    groups.set('ana', ['others', 'writers']);
    const first = await shownTo('ana');
    expect(first.user).to.include({ email: 'ana@example.org', name: 'Name of ana', rootRole: 'Editor' });
    expect(first.authentication).to.include({ type: 'session', isForeign: false });
    const second = await shownTo('ana');
    expect(second.user.id).to.equal(first.user.id);
    expect(second.authentication.tokenId).not.to.equal(first.authentication.tokenId);
    const { rows } = await world.db.query(
      `select created_by, data->>'email' as email from events where type = 'user-created'`,
    );
    expect(rows).to.deep.equal([{ created_by: 'system', email: 'ana@example.org' }]);
  });

  it('sets cookies that no script and no other page can use, and leaves no code in the address', async () => {
    const wanderer = createWanderer();
    const begun = await wanderer.fetch(`${world.url}/sign-in`);
    expect(begun.headers.get('cache-control')).to.equal('no-store');
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    expect(asked.get('code_challenge_method')).to.equal('S256');
    const [signInCookie = ''] = wanderer.cookieNames(world.url);
    expect(signInCookie).to.match(new RegExp(`^${SIGN_IN}-[0-9a-f]{12}$`));
    expect([...asked.values()].join()).not.to.include(wanderer.cookie(world.url, signInCookie));
    const form = await wanderer.visit(begun.headers.get('location') ?? '');
    let answer = await wanderer.fetch(`${form.url}?account=ana`);
    while (!(answer.headers.get('location') ?? '').startsWith(world.url))
      answer = await wanderer.fetch(new URL(answer.headers.get('location') ?? '', form.url).href);
    const finished = await wanderer.fetch(answer.headers.get('location') ?? '');
    expect(finished.headers.get('location')).to.equal(`${world.url}/`);
    expect(finished.headers.get('referrer-policy')).to.equal('no-referrer');
    const cookies = finished.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, ''));
    expect(cookies).to.deep.equal([
      `${signInCookie}; Max-Age=0; Path=/; SameSite=Lax; HttpOnly`,
      `${SESSION}; Max-Age=43200; Path=/; SameSite=Lax; HttpOnly`,
      `${CSRF}; Max-Age=43200; Path=/; SameSite=Lax`,
    ]);
    expect(wanderer.cookie(world.url, signInCookie)).to.equal(undefined);
  });

  it('gives the highest role of the groups at each sign-in', async () => {
    groups.set('rosa', ['viewers', 'admins']);
    expect((await shownTo('rosa')).user.rootRole).to.equal('Admin');
    groups.set('rosa', ['viewers']);
    const earlier = await world.signedIn('rosa');
    groups.set('rosa', ['editors']);
    expect((await shownTo('rosa')).user.rootRole).to.equal('Editor');
    const shown = (await (await earlier.fetch(`${world.url}/api/admin/user`)).json()) as Shown;
    expect(shown.user.rootRole).to.equal('Editor');
  });

  it('refuses an account without a role, and ends its sessions', async () => {
    const wanderer = await world.signedIn('leaver');
    expect((await wanderer.fetch(`${world.url}/api/admin/user`)).status).to.equal(200);
    groups.set('leaver', ['strangers']);
    const page = await signIn(createWanderer(), world.url, 'leaver');
    expect(page.status).to.equal(403);
    expect(page.text).to.include('none of the groups');
    expect((await wanderer.fetch(`${world.url}/api/admin/user`)).status).to.equal(401);
  });

  it('never connects an account with a user of the same e-mail address', async () => {
    await world.api.post('/api/admin/user-admin', { email: 'boss@example.org', rootRole: 'Admin' });
    const page = await signIn(createWanderer(), world.url, 'boss');
    expect(page.status).to.equal(409);
    expect(page.text).to.include('another user');
  });

  it('shows a page if the account may not be used, and signs nobody in', async () => {
    const wanderer = createWanderer();
    const page = await signIn(wanderer, world.url, '');
    expect(page.status).to.equal(403);
    expect(page.headers.get('content-type')).to.include('text/html');
    expect(wanderer.cookie(world.url, SESSION)).to.equal(undefined);
  });

  /** Signs in at the provider, but does not go on to the callback, whose address it returns. */
  async function callbackOf(wanderer: Wanderer, account: string): Promise<string> {
    const form = await wanderer.visit(`${world.url}/sign-in`);
    let answer = await wanderer.fetch(`${form.url}?account=${account}`);
    while (!(answer.headers.get('location') ?? '').startsWith(world.url))
      answer = await wanderer.fetch(new URL(answer.headers.get('location') ?? '', form.url).href);
    return answer.headers.get('location') ?? '';
  }

  it('accepts the state of the same browser only, and only once', async () => {
    const [victim, attacker, later] = [createWanderer(), createWanderer(), createWanderer()];
    const callback = await callbackOf(attacker, 'attacker');
    expect((await victim.visit(callback)).text).to.include('did not begin here');
    await victim.fetch(`${world.url}/sign-in`);
    expect((await victim.visit(callback)).text).to.include('did not begin here');
    expect(victim.cookie(world.url, SESSION)).to.equal(undefined);
    for (const name of attacker.cookieNames(world.url))
      later.setCookie(world.url, name, attacker.cookie(world.url, name) ?? '');
    expect((await attacker.visit(callback)).url).to.equal(`${world.url}/`);
    expect((await later.visit(callback)).text).to.include('is not valid');
    expect(later.cookie(world.url, SESSION)).to.equal(undefined);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const lies: readonly (readonly [string, (claims: Claims) => Claims])[] = [
    ['another nonce', (claims) => ({ ...claims, nonce: 'another' })],
    ['no nonce', (claims) => ({ ...claims, nonce: undefined })],
    ['another audience', (claims) => ({ ...claims, aud: 'another-client' })],
    ['another issuer', (claims) => ({ ...claims, iss: 'http://localhost:1' })],
    ['no subject', (claims) => ({ ...claims, sub: undefined })],
    ['an end two minutes ago', (claims) => ({ ...claims, exp: now() - 120 })],
    ['a beginning in five minutes', (claims) => ({ ...claims, nbf: now() + 300 })],
  ];
  for (const [title, lie] of lies) {
    it(`refuses an ID token with ${title}`, async () => {
      world.provider.lie(lie);
      const wanderer = createWanderer();
      const page = await signIn(wanderer, world.url, 'liar');
      expect(page.status).to.equal(400);
      expect(page.text).to.include('is not valid');
      expect(wanderer.cookie(world.url, SESSION)).to.equal(undefined);
    });
  }

  it('accepts clocks that differ by a few seconds', async () => {
    world.provider.lie((claims) => ({ ...claims, exp: now() - 10, nbf: now() + 15 }));
    expect((await shownTo('skewed')).user.email).to.equal('skewed@example.org');
  });

  it('knows a new key of the provider at once', async () => {
    await world.signedIn('ana');
    world.provider.rotateKeys();
    expect((await shownTo('ana')).user.email).to.equal('ana@example.org');
  });

  it('shows a page while the provider is away, lets sessions go on, and signs in as soon as it is back', async () => {
    const wanderer = await world.signedIn('ana');
    await world.provider.leave();
    const { headers } = await eventually(
      () => createWanderer().fetch(`${world.url}/sign-in`),
      ({ status }) => status === 503,
    );
    expect(headers.get('content-type')).to.include('text/html');
    const page = await createWanderer().visit(`${world.url}/sign-in`);
    expect((await wanderer.fetch(`${world.url}/api/admin/user`)).status).to.equal(200);
    await world.provider.comeBack();
    expect(page.text).to.include('cannot be reached');
    const { url } = await signIn(createWanderer(), world.url, 'ana');
    expect(url).to.equal(`${world.url}/`);
  });

  it('gives a browser a new session, whatever cookie it had', async () => {
    const victim = createWanderer();
    victim.setCookie(world.url, SESSION, 'chosen-by-an-attacker');
    await signIn(victim, world.url, 'ana');
    expect(victim.cookie(world.url, SESSION)).to.have.lengthOf(43);
    expect((await victim.fetch(`${world.url}/api/admin/user`)).status).to.equal(200);
  });

  it('lets tokens in as before', async () => {
    const user = await aUser(world.api, 'Viewer', 'machine');
    expect((await world.api.get('/api/admin/user', { token: user.token })).status).to.equal(200);
    expect((await world.api.get('/api/admin/user', { token: null })).status).to.equal(401);
  });
});
