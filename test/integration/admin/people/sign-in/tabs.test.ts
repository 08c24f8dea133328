import { expect } from 'chai';
import {
  CSRF,
  SESSION,
  SIGN_IN,
  type SignInWorld,
  createSignInWorld,
  headersOf,
} from '../../../../support/servers/identity/sign-in-world.ts';
import { claimsOfEditor } from '../../../../support/servers/identity/claim-shapes.ts';
import {
  type Wanderer,
  createWanderer,
  finishSignIn,
} from '../../../../support/servers/identity/wanderer.ts';

describe('sign-ins and sign-outs of several tabs', () => {
  let world: SignInWorld;
  before(async () => {
    world = await createSignInWorld(claimsOfEditor);
  });

  const begin = async (browser: Wanderer): Promise<string> =>
    (await browser.fetch(`${world.url}/sign-in`)).headers.get('location') ?? '';
  const begunOf = (browser: Wanderer): string[] =>
    browser.cookieNames(world.url).filter((name) => name.startsWith(SIGN_IN));
  const isIn = async (browser: Wanderer): Promise<boolean> =>
    (await browser.fetch(`${world.url}/api/admin/user`)).status === 200;

  for (const [title, order] of [
    ['the first tab first', [0, 1]],
    ['the second tab first', [1, 0]],
  ] as const)
    it(`let both tabs in, ${title}, with one session`, async () => {
      const browser = createWanderer();
      const tabs = [await begin(browser), await begin(browser)];
      expect(begunOf(browser)).to.have.lengthOf(2);
      const sessions = [];
      for (const tab of order) {
        const { url } = await finishSignIn(browser, tabs[tab] ?? '', 'ana');
        expect(url).to.equal(`${world.url}/`);
        expect(await isIn(browser)).to.equal(true);
        sessions.push(browser.cookie(world.url, SESSION));
      }
      expect(sessions[1]).to.equal(sessions[0]);
      expect(begunOf(browser)).to.deep.equal([]);
    });

  it('let a tab in whose answer of the provider is a refusal, if another tab has signed in', async () => {
    const browser = createWanderer();
    const [first, second] = [await begin(browser), await begin(browser)];
    const state = new URL(second).searchParams.get('state') ?? '';
    await finishSignIn(browser, first, 'ana');
    const callback = `${world.url}/sign-in/callback?error=temporarily_unavailable&state=${state}`;
    expect((await browser.visit(callback)).url).to.equal(`${world.url}/`);
    expect((await browser.visit(callback)).url).to.equal(`${world.url}/`);
  });

  it('lead whoever has a session straight in, and show the session to the console again', async () => {
    const browser = await world.signedIn('ana');
    const [secret, csrf] = [browser.cookie(world.url, SESSION), browser.cookie(world.url, CSRF)];
    browser.setCookie(world.url, CSRF, '');
    const answer = await browser.fetch(`${world.url}/sign-in`);
    expect(answer.headers.get('location')).to.equal(`${world.url}/`);
    expect([browser.cookie(world.url, SESSION), browser.cookie(world.url, CSRF)]).to.deep.equal([
      secret,
      csrf,
    ]);
    expect(begunOf(browser)).to.deep.equal([]);
  });

  it('keep the newest eight in less than a kilobyte, and do not blame the provider for older ones', async () => {
    const browser = createWanderer();
    const tabs: string[] = [];
    for (let count = 0; count < 12; count += 1) tabs.push(await begin(browser));
    const begun = begunOf(browser);
    expect(begun).to.have.lengthOf(8);
    const bytes = begun.map((name) => `${name}=${browser.cookie(world.url, name) ?? ''}; `).join('').length;
    expect(bytes).to.be.below(1024);
    const page = await finishSignIn(browser, tabs[0] ?? '', 'ana');
    expect([page.status, page.text.includes('did not begin here')]).to.deep.equal([400, true]);
    expect((await finishSignIn(browser, tabs[4] ?? '', 'ana')).url).to.equal(`${world.url}/`);
  });

  it('answer to no name of a cookie that flagmeter did not give', async () => {
    const browser = createWanderer();
    for (let count = 0; count < 20; count += 1) browser.setCookie(world.url, `${SIGN_IN}-${count}~`, 'x');
    const answer = await browser.fetch(`${world.url}/sign-in`);
    expect(answer.headers.getSetCookie()).to.have.lengthOf(1);
  });

  for (const state of ['', 'a', '\u0000', 'a'.repeat(64), 'é', 'a&state=b'])
    it(`refuse the state ${JSON.stringify(state)}`, async () => {
      const browser = createWanderer();
      await begin(browser);
      const query = state.includes('&') ? state : encodeURIComponent(state);
      const page = await browser.visit(`${world.url}/sign-in/callback?code=x&state=${query}`);
      expect([page.status, page.text.includes('did not begin here')]).to.deep.equal([400, true]);
    });

  async function signOut(browser: Wanderer): Promise<URL> {
    const init = { method: 'POST', headers: headersOf(browser, world.url) };
    const answer = (await (await browser.fetch(`${world.url}/sign-out`, init)).json()) as {
      endSessionUrl: string;
    };
    return new URL(answer.endSessionUrl);
  }

  it('end the session at the provider without a question, because it gets its ID token back', async () => {
    const browser = await world.signedIn('ana');
    const place = await signOut(browser);
    const hint = place.searchParams.get('id_token_hint') ?? '';
    const claims = JSON.parse(Buffer.from(hint.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).to.include({ iss: world.provider.issuer, sub: 'ana' });
    expect((await browser.visit(place.href)).text).not.to.include('Yes, sign me out');
  });

  it('keep the ID token where only the secret of the session opens it, and a long one nowhere', async () => {
    const browser = await world.signedIn('kept');
    world.provider.lie((claims) => ({ ...claims, picture: 'x'.repeat(4000) }));
    const other = await world.signedIn('long');
    world.provider.lie((claims) => claims);
    const { rows } = await world.db.query<{ sealed: Buffer | null }>(
      `select sealed_id_token as sealed
       from sessions as s
       join users as u on u.id = s.user_id
       where u.subject in ('kept', 'long')
       order by u.subject`,
    );
    const [kept, long] = rows.map(({ sealed }) => sealed);
    const { searchParams } = await signOut(browser);
    expect(kept?.includes(searchParams.get('id_token_hint')?.slice(0, 20) ?? '')).to.equal(false);
    expect(long).to.equal(null);
    expect((await signOut(other)).searchParams.has('id_token_hint')).to.equal(false);
  });
});
