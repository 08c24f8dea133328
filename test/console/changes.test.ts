import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { aFeature, aUser, openApi } from '../support/admin.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { type Visit, linkOf, openBrowser, openVisit } from './support/visit.ts';

describe('the console: changes', () => {
  let world: World;
  let admin: ServiceProcess;
  let browser: Browser;
  let viewer: string;

  before(async () => {
    world = await createWorld();
    admin = await world.fork('admin');
    const api = await openApi(admin.url);
    for (const name of ['old-banner', 'new-basket']) await aFeature(api, name);
    viewer = (await aUser(api, 'Viewer', 'vera')).token;
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await world.dispose();
  });

  it('turn a feature on, undo it, and archive it', async () => {
    await visiting(ADMIN_TOKEN, 'old-banner', async ({ page }) => {
      await page.getByRole('button', { name: 'Turn on in production' }).click();
      await page.getByRole('button', { name: 'Turn off in production' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await page.getByRole('button', { name: 'Turn on in production' }).waitFor();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByText('old-banner is archived.').waitFor();
    });
  });

  it('show a Viewer no button that would be refused', async () => {
    await visiting(viewer, 'new-basket', async ({ page }) => {
      await page.getByText('production', { exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.locator('main').getByRole('button').count()).to.equal(0);
    });
  });

  async function visiting(
    token: string,
    feature: string,
    act: (visit: Visit) => Promise<void>,
  ): Promise<void> {
    const visit = await openVisit(browser, admin.url);
    await visit.page.goto(linkOf(admin.url, token));
    await visit.page.goto(`${admin.url}/#/features/${feature}`);
    await act(visit);
    await visit.expectHarmless();
    await visit.close();
  }
});
