import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { type Api, aUser, openApi } from '../../../support/admin-api/admin.ts';
import { itByTurns } from '../../../support/nightly.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { visitAs } from '../../support/visit.ts';

const WHY = 'For the launch <b>today</b>';

const itInTurn = itByTurns(2);

describe('the console: what somebody creates', () => {
  const world = sharedUncountedWorld();
  let admin: Service;
  let api: Api;

  before(async () => {
    admin = await runConsole(world);
    api = await openApi(admin.url);
  });

  it('is a project with a flag, which goes to production with a reason, to the archive and back', async () => {
    await visitAs({ url: admin.url, token: ADMIN_TOKEN, place: 'projects' }, async (visit) => {
      const { page } = visit;
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'New project' }).click();
      await dialog.getByLabel('Id').fill('shop');
      await dialog.getByLabel('Name').fill('The shop');
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('link', { name: 'The shop' }).click();

      await page.getByRole('button', { name: 'New flag' }).click();
      await dialog.getByLabel('Name').fill('new-basket');
      expect(await dialog.getByRole('combobox', { name: 'Project' }).inputValue()).to.equal('shop');
      await dialog.getByLabel('Owner').fill('Checkout team');
      await dialog.getByLabel('Tags').fill('team:checkout\nteam:checkout');
      await visit.expectHarmless();
      await dialog.getByRole('button', { name: 'Create' }).click();

      await page.getByRole('button', { name: 'Turn on in production' }).click();
      await dialog.getByText('Nobody evaluated it in production in the last complete hour.').waitFor();
      await dialog.getByText('most within a minute').waitFor();
      await dialog.getByLabel('Reason').fill(WHY);
      await visit.expectHarmless();
      await dialog.getByRole('button', { name: 'Turn on', exact: true }).click();
      await page.getByText(WHY).first().waitFor();

      await page.getByRole('button', { name: 'Archive' }).click();
      await dialog.getByRole('button', { name: 'Archive' }).click();
      await page.getByText('new-basket is archived.').waitFor();
      await page.goto(`${admin.url}/#/archived?q=%20basket%20`);
      await page.getByRole('heading', { name: '1 archived flag' }).waitFor();
      await visit.expectHarmless();
      await page.getByRole('button', { name: 'Revive new-basket' }).click();
      await page.getByText('new-basket is active').waitFor();
    });
    const { body } = await api.get(
      '/api/admin/search/events?feature=new-basket&type=feature-environment-enabled',
    );
    expect(body).to.have.nested.property('items[0].comment', WHY);
  });

  itInTurn(
    'is found from everywhere by keys, by its owner, and without the filters, and can be printed',
    async () => {
      await visitAs({ url: admin.url, token: ADMIN_TOKEN, place: 'nowhere' }, async (visit) => {
        const { page } = visit;
        await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
        expect(await page.title()).to.equal('There is no such page · flagmeter');
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Flag, application, page or action' }).fill(' bask');
        await page.getByRole('option', { name: 'new-basket Flag' }).waitFor();
        await visit.expectHarmless();
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'Checkout team' }).waitFor();
        await page.locator('h1:focus', { hasText: 'new-basket' }).waitFor();

        // Enter does not wait for the answer, but what it chooses does.
        await page.goto(`${admin.url}/#/projects`);
        await page.getByRole('heading', { name: '2 projects' }).waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox').fill('w-bask');
        await page.keyboard.press('Enter');
        await page.getByRole('link', { name: 'Checkout team' }).waitFor();
        await page.getByRole('link', { name: 'Checkout team' }).click();
        await page.getByText('1 filter on').waitFor();
        await page.getByRole('button', { name: 'Clear' }).click();
        await page.getByText('1 filter on').waitFor({ state: 'detached' });
        expect(new URL(page.url()).hash).to.equal('#/features');
        await page.getByLabel('Search features by name').fill(' team CHECKOUT ');
        await page.getByRole('link', { name: 'new-basket' }).waitFor();

        await page.emulateMedia({ media: 'print' });
        await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' });
        expect(await page.locator('main button:not(thead *):visible, main select:visible').count()).to.equal(
          0,
        );
        await page.getByRole('link', { name: 'new-basket' }).waitFor();
        await page.emulateMedia({ media: null });
      });
    },
  );

  itInTurn('is nothing for a Viewer, who sees no button for it', async () => {
    const { token } = await aUser(api, 'Viewer', 'vera');
    await visitAs({ url: admin.url, token, place: 'features' }, async ({ page }) => {
      await page.getByRole('link', { name: 'Archived' }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('button', { name: 'New flag' }).count()).to.equal(0);
      await page.goto(`${admin.url}/#/projects`);
      await page.getByRole('heading', { name: /projects?$/ }).waitFor();
      expect(await page.locator('main').getByRole('button').count()).to.equal(0);
    });
  });
});
