import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { type Api, aFeature, aUser, openApi } from '../support/admin.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { type Visit, openBrowser, visitAs } from './support/visit.ts';

const NEW_BASKET = '/api/admin/projects/default/features/new-basket';

describe('the console: changes of a feature', () => {
  let world: World;
  let admin: ServiceProcess;
  let browser: Browser;
  let api: Api;
  let viewer: string;
  let editor: string;

  before(async () => {
    world = await createWorld();
    [admin, browser] = await Promise.all([world.fork('admin'), openBrowser()]);
    api = await openApi(admin.url);
    for (const name of ['old-banner', 'new-basket', 'old-teaser']) await aFeature(api, name);
    await api.post('/api/admin/strategies', {
      name: 'ourUsers',
      parameters: [{ name: 'names', type: 'list' }],
    });
    await api.post('/api/admin/projects', { id: 'guarded', name: 'Guarded' });
    await aFeature(api, 'guarded-cart', 'guarded');
    await api.put('/api/admin/projects/guarded/environments/production/change-requests/config', {
      requiredApprovals: 1,
    });
    viewer = (await aUser(api, 'Viewer', 'vera')).token;
    editor = (await aUser(api, 'Editor', 'edda')).token;
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

  it('edit a feature, and overwrite nothing that somebody else changed meanwhile', async () => {
    await visiting(ADMIN_TOKEN, 'features/new-basket', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Favourite' }).click();
      await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Description').fill('Mine');
      await api.put(NEW_BASKET, { description: 'Theirs' });
      visit.allow(/412/);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody has changed').waitFor();
      await page.getByLabel('Description').and(page.getByText('Theirs')).waitFor();
      await visit.expectHarmless();
      await page.getByLabel('Description').fill('The new basket');
      await page.getByLabel('It should be removed from the code').check();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.route(`**${NEW_BASKET}`, async (route) => {
        await api.put(NEW_BASKET, { description: 'Changed since' });
        await route.continue();
      });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Not undone. Somebody has changed the feature').waitFor();
      await page.getByText('Changed since').waitFor();
    });
  });

  it('add a strategy, change whom it serves, and remove it', async () => {
    await visiting(ADMIN_TOKEN, 'features/new-basket', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Add a strategy in production' }).click();
      await page.getByLabel('Rollout in percent').fill('25');
      await visit.expectHarmless();
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('25 % by default').waitFor();
      await page.getByRole('button', { name: 'Change flexibleRollout' }).click();
      await page.getByLabel('Rollout in percent').fill('50');
      const { status } = await api.post(`${NEW_BASKET}/environments/production/strategies`, {
        name: 'ourUsers',
        parameters: { names: 'anna' },
      });
      expect(status).to.equal(200);
      visit.allow(/412/);
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByRole('dialog').getByText('Somebody has changed').waitFor();
      await page.getByTitle('ourUsers').waitFor();
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByText('50 % by default').waitFor();
      await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
      await page.getByText('50 % by default').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Change ourUsers' }).click();
      expect(await page.getByLabel('Rollout in percent').count()).to.equal(0);
      await page.getByLabel('Title').fill('Our testers');
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByRole('button', { name: 'Change Our testers' }).waitFor();
    });
    const { body } = await api.get(`${NEW_BASKET}/environments/production/strategies`);
    expect(body).to.have.nested.property('[0].parameters').deep.equal({ names: 'anna' });
  });

  it('show a Viewer no button that would be refused', async () => {
    await visiting(viewer, 'features/new-basket', async ({ page }) => {
      await page.getByRole('heading', { name: /^production/ }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('button', { name: /^(Turn|Archive)/ }).count()).to.equal(0);
    });
  });

  it('ask in one click for a change that needs an approval', async () => {
    await visiting(editor, 'features/guarded-cart', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      await page.getByRole('button', { name: /Turn (on|off) in production/ }).click();
      await openAndCancel(page);
    });
  });

  it('ask in one click to archive a feature whose project requires approvals', async () => {
    await visiting(editor, 'features/guarded-cart', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await openAndCancel(page);
    });
  });

  async function openAndCancel(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Open a change request' }).click();
    await page.getByRole('heading', { name: /guarded-cart needs 1 approval/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByRole('heading', { name: /is cancelled/ }).waitFor();
  }

  it('offer no change request for a change that nobody can approve', async () => {
    await visiting(editor, 'features/old-teaser', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      await page.route('**/environments/production/on', async (route) => {
        await api.delete('/api/admin/archive/old-teaser');
        await route.continue();
      });
      await page.getByRole('button', { name: 'Turn on in production' }).click();
      await page.getByText('The feature is archived: revive it first. Nothing was changed.').waitFor();
      expect(await page.getByRole('button', { name: 'Open a change request' }).count()).to.equal(0);
      await page.getByRole('button', { name: 'Revive' }).waitFor();
    });
  });

  function visiting(token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    return visitAs(browser, { url: admin.url, token, place }, act);
  }
});
