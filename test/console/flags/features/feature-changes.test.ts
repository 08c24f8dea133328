import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Api, aFeature, aUser, openApi } from '../../../support/admin-api/admin.ts';
import { itByTurns, itNightly } from '../../../support/nightly.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { type Visit, visitAs } from '../../support/visit.ts';

const NEW_BASKET = '/api/admin/projects/default/features/new-basket';

const itInTurn = itByTurns(3);

describe('the console: changes of a feature', () => {
  const world = sharedUncountedWorld();
  let admin: Service;
  let api: Api;
  let editor: string;

  before(async () => {
    admin = await runConsole(world);
    api = await openApi(admin.url);
    for (const name of ['old-banner', 'new-basket', 'old-teaser', 'new-search', 'moving-truck'])
      await aFeature(api, name);
    await api.post('/api/admin/strategies', {
      name: 'ourUsers',
      parameters: [{ name: 'names', type: 'list' }],
    });
    await api.post('/api/admin/projects', { id: 'guarded', name: 'Guarded' });
    await aFeature(api, 'guarded-cart', 'guarded');
    await api.put('/api/admin/projects/guarded/environments/production/change-requests/config', {
      requiredApprovals: 1,
    });
    editor = (await aUser(api, 'Editor', 'edda')).token;
  });

  itInTurn('turn a feature on, undo it, and archive it', async () => {
    await visiting(ADMIN_TOKEN, 'features/old-banner', async ({ page }) => {
      await turnOnInProduction(page);
      await page.getByRole('button', { name: 'Turn off in production' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await page.getByRole('button', { name: 'Turn on in production' }).waitFor();
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await page.getByText('old-banner is archived.').waitFor();
    });
  });

  itInTurn('edit a feature, and overwrite nothing that somebody else changed meanwhile', async () => {
    await visiting(ADMIN_TOKEN, 'features/new-basket', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Favourite' }).click();
      await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor();
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Description').fill('Mine');
      await api.put(NEW_BASKET, { description: 'Theirs' });
      visit.allow(/status of 412/);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Somebody has changed').waitFor();
      await page.getByText('Description is now').waitFor();
      await page.getByRole('alert').getByText('Theirs').waitFor();
      expect(await page.getByLabel('Description').inputValue()).to.equal('Mine');
      await visit.expectHarmlessAfterActs();
      await page.getByLabel('Description').fill('The new basket');
      await page.getByLabel('It should be removed from the code').check();
      await page.getByLabel('Owner').fill('Checkout team');
      await page.getByLabel('Tags').fill('team:checkout\n\nquarter:q4\nteam:checkout');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByTitle('Checkout team').waitFor();
      await page.getByRole('link', { name: 'quarter:q4' }).waitFor();
      await page.route(`**${NEW_BASKET}`, async (route) => {
        await api.put(NEW_BASKET, { description: 'Changed since' });
        await route.continue();
      });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Not undone. Somebody has changed the feature').waitFor();
      await page.getByText('Changed since').waitFor();
    });
  });

  itInTurn('add a strategy, change whom it serves, and remove it', async () => {
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
      visit.allow(/status of 412/);
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      // Another strategy is no conflict.
      await page.getByText('50 % by default').waitFor();
      await page.getByTitle('ourUsers').waitFor();
      await page.getByRole('button', { name: 'Remove', exact: true }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
      await page.getByText('50 % by default').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Change ourUsers' }).click();
      await page.getByLabel('names').fill('anna, berta');
      expect(await page.getByLabel('Rollout in percent').count()).to.equal(0);
      await page.getByLabel('Title').fill('Our testers');
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByRole('button', { name: 'Change Our testers' }).waitFor();
    });
    const { body } = await api.get(`${NEW_BASKET}/environments/production/strategies`);
    expect(body).to.have.nested.property('[0].parameters').deep.equal({ names: 'anna, berta' });
  });

  itNightly('give a strategy constraints and variants, and say what is wrong with them', async () => {
    await visiting(ADMIN_TOKEN, 'features/new-search', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Add a strategy in production' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Group').fill('search');
      await dialog.getByRole('button', { name: 'Add a constraint' }).click();
      await dialog.getByLabel('Context field').fill('age');
      await dialog.getByLabel('Operator').selectOption('NUM_GTE');
      await dialog.getByLabel('Value', { exact: true }).fill('many');
      for (const name of ['blue', 'red', 'gone']) {
        await dialog.getByRole('button', { name: 'Add a variant' }).click();
        await dialog
          .getByLabel(/^Variant \d/)
          .last()
          .fill(name);
      }
      await dialog.getByLabel('Weight in percent').nth(1).fill('33.3');
      await dialog.getByText('The weights add up to 133.3 %, not to 100 %.').waitFor();
      await dialog.getByRole('button', { name: 'Remove variant 3' }).click();
      await dialog.getByRole('button', { name: 'Equal weights' }).click();
      await dialog.getByText('The weights add up to 100 %.').waitFor();
      await dialog.getByLabel('Stickiness of the variants').selectOption('userId');
      await dialog.getByLabel('Payload of variant 1').selectOption('number');
      await dialog.getByLabel('Value of the payload 1').fill('7');
      await dialog.getByLabel('Payload of variant 2').selectOption('json');
      const json = dialog.getByLabel('Value of the payload 2');
      await json.fill('{"colour": ');
      await dialog.locator('textarea:invalid').waitFor();
      await json.fill('{"colour": "red"}');
      visit.allow(/status of 400/);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await dialog.getByText('constraints 1 value must be a number').waitFor();
      await visit.expectHarmless();
      await dialog.getByLabel('Value', { exact: true }).fill('18');
      await dialog.getByLabel('Inverted').check();
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByText('only if not: age ≥ 18').waitFor();
      await page.getByRole('button', { name: 'Change flexibleRollout' }).click();
      await dialog.getByLabel('Operator').selectOption('IN');
      await dialog.getByLabel('Values, one a line').fill('18\n19');
      await dialog.getByRole('button', { name: 'Change', exact: true }).click();
      await page.getByText('only if not: age is one of 18, 19').waitFor();
      await page.getByRole('button', { name: 'Change flexibleRollout' }).click();
      expect(await dialog.getByLabel('Value of the payload 2').inputValue()).to.equal('{"colour": "red"}');
      await dialog.getByLabel('Payload of variant 1').selectOption('none');
      await dialog.getByRole('button', { name: 'Change', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    });
    const path = '/api/admin/projects/default/features/new-search/environments/production/strategies';
    const { body } = await api.get(path);
    const variant = { weight: 500, weightType: 'variable', stickiness: 'userId' };
    expect(body).to.have.nested.property('[0].parameters.groupId', 'search');
    expect(body)
      .to.have.nested.property('[0].variants')
      .deep.equal([
        { name: 'blue', ...variant },
        { name: 'red', ...variant, payload: { type: 'json', value: '{"colour": "red"}' } },
      ]);
    expect(body)
      .to.have.nested.property('[0].constraints')
      .deep.equal([{ contextName: 'age', operator: 'IN', values: ['18', '19'], inverted: true }]);
  });

  itNightly('move a feature to another project, as only an Admin may with approvals', async () => {
    const projectOf = async (name: string): Promise<unknown> => {
      const { body } = await api.get(`/api/admin/search/features?search=${name}`);
      return (body as { items: { project: string }[] }).items[0]?.project;
    };
    const move = async (page: Page): Promise<void> => {
      await page.getByRole('button', { name: 'Move' }).click();
      await page.getByRole('dialog').getByRole('combobox').selectOption('Guarded');
      await page.getByRole('dialog').getByRole('button', { name: 'Move' }).click();
    };
    await visiting(editor, 'features/moving-truck', async (visit) => {
      visit.allow(/status of 403/);
      await move(visit.page);
      await visit.page.getByText('only an Admin may move the feature').waitFor();
    });
    await visiting(ADMIN_TOKEN, 'features/moving-truck', async (visit) => {
      // Until the page has read the new project, it asks for the strategies in the old one.
      visit.allow(/status of 404/);
      await move(visit.page);
      await visit.page.getByText('moving-truck is no longer in project default.').waitFor();
      expect(await projectOf('moving-truck')).to.equal('guarded');
      await visit.page.getByRole('button', { name: 'Undo' }).click();
      await visit.page.getByText('Undone.').waitFor();
      expect(await projectOf('moving-truck')).to.equal('default');
    });
  });

  itInTurn('show a Viewer no button that would be refused', async () => {
    const { token } = await aUser(api, 'Viewer', 'vera');
    await visiting(token, 'features/new-basket', async ({ page }) => {
      await page.getByRole('heading', { name: /^production/ }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('button', { name: /^(Turn|Edit|Move|Archive|Add)/ }).count()).to.equal(0);
    });
  });

  itInTurn('ask in one click for a change that needs an approval', async () => {
    await visiting(editor, 'features/guarded-cart', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      await turnOnInProduction(page);
      await openAndCancel(page);
    });
  });

  itNightly('ask in one click to archive a feature whose project requires approvals', async () => {
    await visiting(editor, 'features/guarded-cart', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      await page.getByRole('button', { name: 'Archive' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
      await openAndCancel(page);
    });
  });

  async function turnOnInProduction(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Turn on in production' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on', exact: true }).click();
  }

  async function openAndCancel(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Open a change request' }).click();
    await page.getByRole('heading', { name: /guarded-cart needs 1 approval/ }).waitFor();
    await page.getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the request' }).click();
    await page.getByRole('heading', { name: /is cancelled/ }).waitFor();
  }

  itNightly('offer no change request for a change that nobody can approve', async () => {
    await visiting(editor, 'features/old-teaser', async (visit) => {
      const { page } = visit;
      visit.allow(/status of 409/);
      await page.route('**/environments/production/on', async (route) => {
        await api.delete('/api/admin/archive/old-teaser');
        await route.continue();
      });
      await turnOnInProduction(page);
      await page.getByText('The feature is archived: revive it first. Nothing was changed.').waitFor();
      expect(await page.getByRole('button', { name: 'Open a change request' }).count()).to.equal(0);
      await page.getByRole('button', { name: 'Revive' }).waitFor();
    });
  });

  function visiting(token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    return visitAs({ url: admin.url, token, place }, act);
  }
});
