import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { type Api, aUser, openApi } from '../../support/admin-api/admin.ts';
import { replaceOwnToken } from '../../support/admin-api/personal-tokens.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { submitHidden } from '../support/submit-hidden.ts';
import { visitAs } from '../support/visit.ts';

const FLAG = 'one-page-checkout';
const TYPED = 'What the author has written for an hour';

describe('the console: the walk of a product engineer', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let ingest: Service;
  let admin: Service;
  let api: Api;

  before(async () => {
    [ingest, admin] = await Promise.all([startCounting(world), runConsole(world)]);
    api = await openApi(admin.url);
    await api.put('/api/admin/projects/default/environments/production/change-requests/config', {
      requiredApprovals: 1,
    });
  });

  it('creates a flag, rolls it out by a request that another approves, sees it act, keeps an edit, and cleans up', async () => {
    const author = await aUser(api, 'Editor', 'anna');
    const reviewer = await aUser(api, 'Editor', 'ben');
    let request = '';
    await visitAs({ url: admin.url, token: author.token, place: 'features' }, async (visit) => {
      visit.allow(/status of 409/);
      await create(visit.page);
      request = await askForRollout(visit.page);
    });
    await visitAs({ url: admin.url, token: reviewer.token, place: request }, ({ page }) => approve(page));
    await count(900, 100);
    await visitAs({ url: admin.url, token: author.token, place: `features/${FLAG}` }, async (visit) => {
      visit.allow(/status of (401|409|412|429)/);
      await seeItAct(visit.page);
      await loseTheSession(visit.page, author.token);
      await resolveConflict(visit.page);
      await findByOwner(visit.page);
      await print(visit.page);
      request = await askForArchive(visit.page);
    });
    await visitAs({ url: admin.url, token: reviewer.token, place: request }, async ({ page }) => {
      await approve(page);
      await page.goto(`${admin.url}/#/archived?q=${FLAG}`);
      await page.getByRole('button', { name: `Revive ${FLAG}` }).waitFor();
    });
  });

  async function create(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'New flag' }).click();
    await dialog.getByLabel('Name').fill(FLAG);
    await dialog.getByLabel('Owner').fill('Checkout team');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: FLAG }).waitFor();
  }

  /** Where approvals are required, the refusal of a change leads to a request. Returns its place. */
  async function askForRollout(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Turn on in production' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Turn on', exact: true }).click();
    return openRequest(page, `Turn on ${FLAG}`);
  }

  async function approve(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Approve' }).click();
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('heading', { name: /is approved/ }).waitFor();
    await page.getByRole('button', { name: 'Apply' }).click();
    await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
    await page.getByRole('heading', { name: /is applied/ }).waitFor();
  }

  async function count(yes: number, no: number): Promise<void> {
    const metric = aFreshMetric({ featureName: FLAG, appName: 'shop', yes, no });
    expect((await post(ingest, { body: bodyOf({ metrics: [metric] }) })).status).to.equal(202);
    await untilCounted(world);
  }

  async function seeItAct(page: Page): Promise<void> {
    await page.getByRole('heading', { name: `${FLAG} was on for 90.0 % in production in 24 h` }).waitFor();
    await page
      .getByRole('list', { name: 'What a change reaches' })
      .getByRole('link', { name: 'shop' })
      .waitFor();
    await page.getByText(/^ben /).first().waitFor();
  }

  async function loseTheSession(page: Page, token: string): Promise<void> {
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Description').fill(TYPED);
    const secret = await replaceOwnToken(api, token);
    await submitHidden(page);
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('ADMIN token or personal token').fill(secret);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Description').inputValue()).to.equal(TYPED);
  }

  async function resolveConflict(page: Page): Promise<void> {
    const path = `/api/admin/projects/default/features/${FLAG}`;
    await api.put(path, { description: 'What somebody else has written' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('What somebody else has written').waitFor();
    expect(await page.getByLabel('Description').inputValue()).to.equal(TYPED);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await api.get(path)).body).to.have.property('description', TYPED);
  }

  async function findByOwner(page: Page): Promise<void> {
    await page.goto(`${admin.url}/#/features`);
    await page.getByLabel('Search features by name').fill(' checkout TEAM ');
    await page.getByRole('heading', { name: '1 feature' }).waitFor();
    await page.getByRole('link', { name: FLAG }).click();
    await page.getByRole('heading', { name: FLAG }).waitFor();
  }

  async function print(page: Page): Promise<void> {
    await page.emulateMedia({ media: 'print' });
    await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' });
    expect(
      await page.locator('main button:not(thead *, .legend *):visible, main select:visible').count(),
    ).to.equal(0);
    await page.getByText(TYPED).waitFor();
    await page.emulateMedia({ media: null });
  }

  async function askForArchive(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    return openRequest(page, `Archive ${FLAG}`);
  }

  async function openRequest(page: Page, title: string): Promise<string> {
    await page.getByRole('button', { name: 'Open a change request' }).click();
    await page.getByRole('heading', { name: `${title} needs 1 approval` }).waitFor();
    return new URL(page.url()).hash.slice(2);
  }
});
