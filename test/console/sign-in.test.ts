import { expect } from 'chai';
import { freePort } from '../../tools/stack/index.ts';
import { aUser, openApi } from '../support/admin.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { createUncountedWorld } from '../support/uncounted-world.ts';
import { ADMIN_TOKEN, type World } from '../support/world.ts';
import { type Visit, linkOf, openVisit } from './support/visit.ts';

const UNAUTHORIZED = /status of 401/;

describe('the console: sign-in', () => {
  let world: World;
  let admin: ServiceProcess;
  let visit: Visit;

  before(async () => {
    world = await createUncountedWorld();
    admin = await world.fork('admin');
  });
  beforeEach(async () => {
    visit = await openVisit(admin.url);
  });
  afterEach(async () => {
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });
  after(() => world.dispose());

  it('signs in with a link, and removes the token from the address at once', async () => {
    const { page } = visit;
    await page.goto(linkOf(admin.url, ADMIN_TOKEN));
    await page.getByRole('navigation').waitFor();
    expect(page.url()).to.equal(`${admin.url}/#/`);
    expect(await page.evaluate<number>('history.length')).to.be.lessThan(3);
  });

  it('rejects an unknown token and keeps a known one for this tab only', async () => {
    visit.allow(UNAUTHORIZED);
    const { page } = visit;
    await page.goto(`${admin.url}/`);
    const field = page.getByLabel('ADMIN token or personal token');
    await field.waitFor();
    await visit.expectHarmless();
    await field.fill('*:*.nobody-knows-this-one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('does not know this token').waitFor();

    await field.fill(ADMIN_TOKEN);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
    expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.to.include(ADMIN_TOKEN);
  });

  it('asks for another token when this one was revoked meanwhile', async () => {
    visit.allow(UNAUTHORIZED);
    const { page } = visit;
    const api = await openApi(admin.url);
    const user = await aUser(api, 'Admin', 'leaver');
    await page.goto(linkOf(admin.url, user.token));
    await page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
    await api.delete(`/api/admin/user-admin/${user.id}`);

    await page.getByRole('alert').getByText('not valid any more').waitFor();
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0);
  });

  it('needs no token while AUTH_TYPE is none', async () => {
    const open = await world.fork('admin', { AUTH_TYPE: 'none' });
    const openly = await openVisit(open.url);
    await openly.page.goto(`${open.url}/`);
    await openly.page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
    expect(await openly.page.getByRole('button', { name: 'Sign out' }).count()).to.equal(0);
    await openly.expectHarmlessAfterActs();
    await openly.close();
    await open.stop();
    await visit.page.goto(`${admin.url}/`);
  });

  it('recovers by itself after a restart of the server, and shows old numbers greyed meanwhile', async () => {
    const port = String(await freePort());
    const first = await world.fork('admin', { PORT: port });
    const lasting = await openVisit(first.url);
    lasting.allow(/net::ERR_|status of 503/);
    await lasting.page.goto(linkOf(first.url, ADMIN_TOKEN));
    await lasting.page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
    await first.kill();
    const old = lasting.page.locator('.stale .equation');
    await old.waitFor();
    await lasting.page.locator('.live').getByText('ago').waitFor();
    const second = await world.fork('admin', { PORT: port });

    await old.waitFor({ state: 'detached' });
    await lasting.page.locator('.equation').waitFor();
    await lasting.page.locator('.live').getByText('live', { exact: true }).waitFor();
    await lasting.expectHarmlessAfterActs();
    await lasting.close();
    await second.stop();
    await visit.page.goto(`${admin.url}/`);
  });
});
