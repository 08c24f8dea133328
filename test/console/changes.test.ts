import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { fillSample } from '#sample';
import { insertDocument } from '../../services/admin/exchange/index.ts';
import { type Api, aFeature, aUser, openApi } from '../support/admin.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { type Visit, linkOf, openBrowser, openVisit } from './support/visit.ts';

describe('the console: changes', () => {
  let world: World;
  let admin: ServiceProcess;
  let browser: Browser;
  let api: Api;
  let viewer: string;
  let editor: string;

  before(async () => {
    world = await createWorld();
    await fillSample(world, {
      madeAt: Math.floor(Date.now() / 1000) * 1000,
      insertDocument,
      onProgress: () => undefined,
    });
    admin = await world.fork('admin');
    api = await openApi(admin.url);
    for (const name of ['old-banner', 'new-basket']) await aFeature(api, name);
    viewer = (await aUser(api, 'Viewer', 'vera')).token;
    editor = (await aUser(api, 'Editor', 'edda')).token;
    await api.put('/api/admin/projects/sample-search/environments/production/change-requests/config', {
      requiredApprovals: 1,
    });
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await world.dispose();
  });

  it('turn a feature on, undo it, and archive it', async () => {
    await visiting(ADMIN_TOKEN, 'features/old-banner', async ({ page }) => {
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
    await visiting(viewer, 'features/new-basket', async ({ page }) => {
      await page.getByRole('heading', { name: 'production' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('button', { name: /^(Turn|Archive)/ }).count()).to.equal(0);
    });
  });

  it('clean up: select flags by key, see the evidence, archive them and undo', async () => {
    await visiting(ADMIN_TOKEN, 'clean-up', async ({ page }) => {
      await page.getByRole('heading', { name: '5 flags can go' }).waitFor();
      await page.getByText('by applications with').first().waitFor();
      for (const name of ['checkout-guest-mode', 'checkout-tax-rounding']) {
        await page.getByRole('link', { name, exact: true }).focus();
        await page.keyboard.press('x');
      }
      await page.getByRole('button', { name: 'Archive 2 flags' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
      await page.getByText('2 flags are archived.').waitFor();
      await page.getByRole('heading', { name: '3 flags can go' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await page.getByRole('heading', { name: '5 flags can go' }).waitFor();
    });
  });

  it('clean up: open one change request for all where an Editor may not archive', async () => {
    await visiting(editor, 'clean-up', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      for (const name of ['search-synonyms', 'search-legacy-index'])
        await page.getByRole('checkbox', { name: `Select ${name}` }).check();
      await page.getByRole('button', { name: 'Archive 2 flags' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Archive', exact: true }).click();
      await dialog.getByText('This project requires approvals').first().waitFor();
      await dialog.getByRole('button', { name: 'Open a change request' }).click();
      await page.getByText('A change request asks to archive 2 flags.').waitFor();
    });
    const { body } = await api.get(
      '/api/admin/search/change-requests?project=sample-search&sort=-id&limit=1',
    );
    expect(body).to.have.nested.property('items[0].state', 'In review');
    expect(body).to.have.nested.property('items[0].changes', 2);
  });

  it('clean up: show a Viewer the evidence, and nothing to press', async () => {
    await visiting(viewer, 'clean-up', async ({ page }) => {
      await page.getByRole('heading', { name: '5 flags can go' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.locator('main').getByRole('button').count()).to.equal(0);
      expect(await page.locator('main').getByRole('checkbox').count()).to.equal(0);
    });
  });

  async function visiting(token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    const visit = await openVisit(browser, admin.url);
    await visit.page.goto(linkOf(admin.url, token));
    await visit.page.goto(`${admin.url}/#/${place}`);
    await act(visit);
    await visit.expectHarmless();
    await visit.close();
  }
});
