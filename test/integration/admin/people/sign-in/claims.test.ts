import { expect } from 'chai';
import {
  MARK,
  OF_OTHERS,
  SHAPES,
  type Shape,
  claimsOfEditor,
  claimsRead,
  isOf,
} from '../../../../support/servers/identity/claim-shapes.ts';
import { someByDay } from '../../../../support/nightly.ts';
import type { Claims } from '../../../../support/servers/identity/identity-provider.ts';
import {
  SESSION,
  type SignInWorld,
  createSignInWorld,
} from '../../../../support/servers/identity/sign-in-world.ts';
import { type Wanderer, createWanderer, signIn } from '../../../../support/servers/identity/wanderer.ts';

const RANKS = ['None', 'Viewer', 'Editor', 'Admin'];

describe('claims of the identity provider', () => {
  let world: SignInWorld;
  let visits = 0;
  before(async () => {
    world = await createSignInWorld(claimsOfEditor, { OIDC_VIEWER_GROUPS: '*', TRUST_PROXY: '127.0.0.1' });
  });
  afterEach(() => {
    world.provider.lie((claims) => claims);
    world.provider.lieInUserInfo((claims) => claims);
  });

  /** From an address of its own, which has a limit of its own. */
  function aWanderer(): Wanderer {
    visits += 1;
    return createWanderer({ 'x-forwarded-for': `10.1.${visits >> 8}.${visits & 255}` });
  }

  type Account = {
    readonly role: string;
    readonly sessions: number;
    readonly username: string | null;
    readonly email: string | null;
  };

  async function accountOf(subject: string): Promise<Account | undefined> {
    const { rows } = await world.db.query<Account>(
      `select root_role as role, username, email,
         (select count(*)::int from sessions where user_id = users.id and revoked_at is null) as sessions
       from users
       where subject = $1`,
      [subject],
    );
    return rows[0];
  }

  async function unboundedRows(): Promise<unknown[]> {
    const { rows } = await world.db.query<{ field: string }>(
      `select id, field
       from users, unnest(array[subject, username, email, name]) as field
       where length(field) not between 1 and 255
         or field ~ '[[:cntrl:]]'`,
    );
    return rows;
  }

  const linesSince = (from: number) => world.logLines().slice(from);

  /** The library names a subject that is no text. An ID token with a megabyte is not read at all. */
  const namesOf = (claim: string) =>
    new RegExp(`"claim":"${claim}"|claim ${claim} is|JWT \\W+${claim}\\W|longer than 1 MiB`);

  function lieAbout(claim: string, { value }: Shape): void {
    const change = (claims: Claims): Claims => ({ ...claims, [claim]: value });
    // A subject of another form is another person, who must not have the same address.
    const { email: _email, preferred_username: _username, ...nameless } = claimsOfEditor('');
    world.provider.lieInUserInfo(claim === 'sub' ? () => change(nameless) : change);
    if (claim === 'sub') world.provider.lie(change);
  }

  const shapes = someByDay(Object.entries(SHAPES), 1 / 5);
  for (const claim of ['sub', ...claimsRead('groups').filter((name) => !OF_OTHERS.includes(name))]) {
    it(`give no role, break nothing and are named in the log, whatever form ${claim} has`, async function () {
      this.timeout(300_000); // thirty sign-ins
      const account = `of-${claim}`;
      await signIn(aWanderer(), world.url, account);
      for (const [title, shape] of shapes) {
        await world.db.query(`update users set root_role = 'Editor' where subject = $1`, [account]);
        const before = await accountOf(account);
        const from = world.logLines().length;
        lieAbout(claim, shape);
        const wanderer = aWanderer();
        const { status, url } = await signIn(wanderer, world.url, account);
        const after = await accountOf(account);
        const isIn = wanderer.cookie(world.url, SESSION) !== undefined;
        expect([200, 400, 403], title).to.include(status);
        expect(isIn, title).to.equal(url === `${world.url}/`);
        expect(RANKS.indexOf(after?.role ?? ''), title).to.be.at.most(RANKS.indexOf('Editor'));
        if (!isIn) expect(after, title).to.deep.equal(before);
        expect(await unboundedRows(), title).to.deep.equal([]);
        const log = JSON.stringify(linesSince(from));
        if (claim !== 'sub') expect(log, title).not.to.include(MARK);
        const isUnknown = !isOf(claim, 'groups', shape) || claim === 'email';
        if (isUnknown) expect(log, title).to.match(namesOf(claim));
      }
    });
  }

  it('do not end a role if the groups do not come', async () => {
    const browser = aWanderer();
    await signIn(browser, world.url, 'keeper');
    const before = await accountOf('keeper');
    const without: readonly Claims[] = [
      { groups: undefined },
      { groups: undefined, _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'x' } } },
      { groups: undefined, hasgroups: true },
      { groups: { editors: true } },
    ];
    for (const lie of without) {
      world.provider.lieInUserInfo((claims) => ({ ...claims, ...lie }));
      const from = world.logLines().length;
      const page = await signIn(aWanderer(), world.url, 'keeper');
      expect(page.status).to.equal(403);
      expect(page.text).to.include('does not know your groups');
      expect(linesSince(from).map(({ msg }) => msg)).to.include('sign-in refused: unknown groups');
      expect(await accountOf('keeper')).to.deep.equal(before);
    }
    expect((await browser.fetch(`${world.url}/api/admin/user`)).status).to.equal(200);
  });

  it('are refused if they are longer than a mebibyte', async () => {
    world.provider.lie((claims) => ({ ...claims, name: 'x'.repeat(2 ** 20) }));
    const page = await signIn(aWanderer(), world.url, 'long');
    expect(page.status).to.equal(400);
    expect(page.text).to.include('is not valid');
  });

  it('name nobody by an address of somebody else, so that no role goes to a stranger', async () => {
    await world.api.post('/api/admin/projects', { id: 'shop', name: 'The shop' });
    world.provider.lieInUserInfo((claims) => ({
      ...claims,
      email: undefined,
      preferred_username: 'boss@example.org',
      name: 'boss@example.org',
    }));
    await signIn(aWanderer(), world.url, 'stranger');
    expect(await accountOf('stranger')).to.include({ username: 'stranger', email: null });
    const grant = { user: 'boss@example.org', role: 'Owner' };
    expect((await world.api.post('/api/admin/projects/shop/access', grant)).status).to.equal(400);
    world.provider.lieInUserInfo((claims) => claims);
    await signIn(aWanderer(), world.url, 'boss');
    const { body } = await world.api.post('/api/admin/projects/shop/access', grant);
    expect(body).to.include({ userName: 'boss@example.org', issuer: world.provider.issuer });
  });
});
