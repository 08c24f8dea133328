import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { freePort } from '../../../tools/stack/index.ts';
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/servers/identity/identity-provider.ts';
import { CSRF, SESSION } from '../../support/servers/identity/sign-in-world.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { itByTurns } from '../../support/nightly.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import { type World } from '../../support/world.ts';
import { type Visit, openVisit } from '../support/visit.ts';

const itInTurn = itByTurns(3);

describe('the console: sign-in by an identity provider', () => {
  let world: World;
  let admin: ServiceProcess;
  let provider: IdentityProvider;
  let visit: Visit;

  before(async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    provider = await startIdentityProvider(url, (account) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: account === 'stranger' ? [] : ['admins'],
    }));
    world = await createUncountedWorld();
    admin = await world.fork('admin', provider.settingsFor(url));
  });
  beforeEach(async () => {
    visit = await openVisit(admin.url);
    visit.allow(/foreign request|status of 401/);
  });
  afterEach(async () => {
    visit.expectQuiet();
    await visit.close();
  });
  after(async () => {
    await world.dispose();
    await provider.close();
  });

  async function signIn(page: Page, account: string): Promise<void> {
    await page.getByRole('button', { name: 'Sign in with your account' }).click();
    await page.getByLabel('Account').fill(account);
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  const cookieNames = async (page: Page): Promise<string[]> => {
    const cookies = await page.context().cookies(admin.url);
    return cookies
      .map(({ name }) => name)
      .filter((name) => name.startsWith('flagmeter'))
      .sort();
  };

  it('leads to the provider and back to the same place, shows who is signed in, and keeps and logs no secret', async () => {
    const { page } = visit;
    const seen: string[] = [];
    page.on('request', (request) => seen.push(request.url()));
    await page.goto(`${admin.url}/#/strategies`);
    await page.getByText('Use a token instead').waitFor();
    await visit.expectHarmless();
    await signIn(page, 'ana');
    await page.getByRole('heading', { name: 'Strategies' }).waitFor();
    await page.getByTitle('Signed in').filter({ hasText: 'ana@example.org' }).waitFor();
    expect(page.url()).to.equal(`${admin.url}/#/strategies`);
    expect(await cookieNames(page)).to.deep.equal([CSRF, SESSION]);
    expect(await page.evaluate<string>('document.cookie')).not.to.include(SESSION);
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0);
    await visit.expectHarmlessAfterActs();

    const callback = new URL(seen.find((url) => url.includes('/sign-in/callback?')) ?? '');
    const cookies = await page.context().cookies(admin.url);
    const secrets = [
      callback.searchParams.get('code') ?? '',
      callback.searchParams.get('state') ?? '',
      ...cookies.map(({ value }) => value),
    ];
    expect(secrets.filter((secret) => secret.length > 20).length).to.be.at.least(4);
    const log = await admin.readLog();
    expect(log).to.include('signed in');
    for (const secret of secrets) expect(log.includes(secret)).to.equal(false);
  });

  itInTurn(
    'makes changes, stays signed in after a reload, and signs out here and at the provider',
    async () => {
      const { page } = visit;
      await page.goto(`${admin.url}/#/users`);
      await signIn(page, 'ana');
      await page.getByRole('heading', { name: '1 user, 1 with the role Admin' }).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByLabel('User name').fill('made-in-a-session');
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await page.getByText('made-in-a-session').first().waitFor();
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in with your account' }).waitFor();
      expect(page.url().replace(/#.*/, '')).to.equal(`${admin.url}/`);
      expect(await cookieNames(page)).to.deep.equal([]);
    },
  );

  itInTurn('asks to sign in again when the session has ended', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/`);
    await signIn(page, 'leaver');
    await page.getByText('leaver@example.org').waitFor();
    const { rows } = await world.db.query<{ id: number }>(
      `select id from users where email = 'leaver@example.org'`,
    );
    await signOutEverywhere(rows[0]?.id ?? 0);
    await page.getByRole('alert').getByText('Your session has ended').waitFor();
    // The provider still knows the account, and asks nothing.
    await page.getByRole('button', { name: 'Sign in with your account' }).click();
    await page.getByText('leaver@example.org').waitFor();
  });

  itInTurn('shows why an account may not use flagmeter', async () => {
    visit.allow(/status of 403/);
    const { page } = visit;
    await page.goto(`${admin.url}/`);
    await signIn(page, 'stranger');
    await page.getByRole('heading', { name: 'Your account may not use flagmeter' }).waitFor();
    await visit.expectHarmless();
  });

  async function signOutEverywhere(userId: number): Promise<void> {
    const answer = await fetch(`${admin.url}/api/admin/user-admin/${userId}/sessions`, {
      method: 'DELETE',
      headers: { authorization: world.env['INIT_ADMIN_API_TOKENS'] ?? '' },
    });
    expect(answer.status).to.equal(200);
  }
});
