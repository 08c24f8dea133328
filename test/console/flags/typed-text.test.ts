import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Api, aFeature, aUser, openApi } from '../../support/admin-api/admin.ts';
import { replaceOwnToken } from '../../support/admin-api/personal-tokens.ts';
import { itByTurns } from '../../support/nightly.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { submitHidden } from '../support/submit-hidden.ts';
import { type Visit, openSignedIn } from '../support/visit.ts';

const TYPED = 'What took an hour to write';
const CART = '/api/admin/projects/default/features/cart';

/** By day, the walk of a product engineer also meets a lost session and a conflict. */
const itInTurn = itByTurns(4);

describe('the console: what somebody types', () => {
  const world = sharedUncountedWorld();
  let admin: Service;
  let api: Api;

  before(async () => {
    admin = await runConsole(world);
    api = await openApi(admin.url);
    await aFeature(api, 'cart');
  });
  beforeEach(() => api.put(CART, { description: 'As it was' }));

  /** Opens the form of the feature, and types a description. */
  const typing = async (act: (visit: Visit) => Promise<void>, token = ADMIN_TOKEN): Promise<void> => {
    const visit = await openSignedIn({ url: admin.url, token, place: 'features' });
    // The other parts of the page read ClickHouse, which may answer too slowly.
    visit.allow(/status of (401|412|429)/);
    const { page } = visit;
    await page.getByRole('link', { name: 'cart' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Description').fill(TYPED);
    await act(visit);
    visit.expectQuiet();
    await visit.close();
  };
  const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
  const expectTyped = async (page: Page) => {
    expect(await page.getByLabel('Description').inputValue()).to.equal(TYPED);
  };
  const expectSaved = async (page: Page) => {
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { body } = await api.get(CART);
    expect(body).to.have.property('description', TYPED);
  };

  itInTurn('is saved although somebody turned the feature on in another environment meanwhile', () =>
    typing(async ({ page }) => {
      await api.post(`${CART}/environments/development/on`);
      await save(page);
      await expectSaved(page);
      await api.post(`${CART}/environments/development/off`);
    }),
  );

  itInTurn(
    'stays beside what somebody else has written meanwhile, and replaces it only if it is sent again',
    () =>
      typing(async (visit) => {
        const { page } = visit;
        await api.put(CART, { description: 'Theirs', owner: 'Their team' });
        await save(page);
        const note = page.getByRole('alert');
        await note.getByText('Theirs').waitFor();
        await note.getByText('Their team').waitFor();
        await expectTyped(page);
        expect((await api.get(CART)).body).to.have.property('description', 'Theirs');
        await visit.expectHarmless();
        await save(page);
        await expectSaved(page);
      }),
  );

  itInTurn('gives way to the stored values when the form is closed and opened again', () =>
    typing(async ({ page }) => {
      await save(page);
      await expectSaved(page);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await expectTyped(page);
      await page.keyboard.press('Escape');
    }),
  );

  itInTurn('about a project replaces what somebody else has written only if it is sent again', async () => {
    const project = '/api/admin/projects/default';
    const visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'projects' });
    visit.allow(/status of 412/);
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit Default' }).click();
    await page.getByLabel('Description').fill(TYPED);
    await api.put(project, { name: 'Theirs' });
    await save(page);
    await page.getByRole('alert').getByText('Theirs').waitFor();
    await expectTyped(page);
    await page.getByLabel('Name').fill('Ours');
    await save(page);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect((await api.get(project)).body).to.include({ name: 'Ours', description: TYPED });
    visit.expectQuiet();
    await visit.close();
  });

  itInTurn('stays although what it is about is gone from the page behind', async () => {
    await api.post('/api/admin/projects', { id: 'going', name: 'Going' });
    const visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'projects' });
    visit.allow(/status of (409|412)/);
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit Going' }).click();
    await page.getByLabel('Description').fill(TYPED);
    await api.post('/api/admin/projects/going/archive');
    await save(page);
    await page.getByRole('dialog').getByRole('alert').getByText('archived').waitFor();
    await expectTyped(page);
    visit.expectQuiet();
    await visit.close();
  });

  itInTurn('is the time range, too, although the page reads new counts meanwhile', async () => {
    const visit = await openSignedIn({
      url: admin.url,
      token: ADMIN_TOKEN,
      place: 'features/cart?window=1h',
    });
    visit.allow(/status of (429|503)/);
    const { page } = visit;
    await page.getByText('From – to').click();
    await page.getByLabel('From', { exact: true }).fill('2026-01-02T03:04');
    const isUsage = /metrics\/usage\?.*interval=minute/;
    for (let read = 0; read < 2; read += 1) await page.waitForResponse(isUsage);
    expect(await page.getByLabel('From', { exact: true }).inputValue()).to.equal('2026-01-02T03:04');
    await visit.close();
  });

  itInTurn('is not dropped by Escape or Back without a question', () =>
    typing(async (visit) => {
      const { page } = visit;
      const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
      // Browsers close a dialog at the second Escape.
      for (const leave of [() => page.keyboard.press('Escape'), () => page.keyboard.press('Escape')]) {
        await leave();
        await question.waitFor();
        await page.keyboard.press('Escape');
        await question.waitFor({ state: 'hidden' });
        await expectTyped(page);
      }
      await page.evaluate('history.back()');
      await question.waitFor();
      await visit.expectHarmlessAfterActs();
      await question.getByRole('button', { name: 'Keep typing' }).click();
      await expectTyped(page);
      expect(new URL(page.url()).hash).to.equal('#/features/cart');

      await page.evaluate('history.back()');
      await question.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('link', { name: 'cart' }).waitFor();
      expect(new URL(page.url()).hash).to.equal('#/features');
    }),
  );

  itInTurn('asks nothing if nothing was typed', async () => {
    const visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'features/cart' });
    visit.allow(/status of 429/);
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Description').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.close();
  });

  itInTurn('waits below the sign-in when the token ends, and is saved after it', async () => {
    const user = await aUser(api, 'Admin', 'writer');
    await typing(async (visit) => {
      const { page } = visit;
      const secret = await replaceOwnToken(api, user.token);
      await submitHidden(page);
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await again.getByLabel('ADMIN token or personal token').fill(secret);
      await page.keyboard.press('Escape');
      expect(await page.getByLabel('Description').isVisible()).to.equal(false);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.waitFor({ state: 'detached' });
      await expectTyped(page);
      await save(page);
      await expectSaved(page);
    }, user.token);
  });

  itInTurn('of one person is not shown to another who signs in', async () => {
    const user = await aUser(api, 'Admin', 'leaver');
    await typing(async ({ page }) => {
      await api.delete(`/api/admin/user-admin/${user.id}`);
      await submitHidden(page);
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await again.getByLabel('ADMIN token or personal token').fill(ADMIN_TOKEN);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
      expect(await page.getByLabel('Description').count()).to.equal(0);
    }, user.token);
  });

  itInTurn('as a comment is not dropped by a link or by signing out without a question', async () => {
    const { body } = await api.post('/api/admin/projects/default/environments/production/change-requests', {
      title: 'Turn it on',
      changes: [{ feature: 'cart', action: 'updateEnabled', payload: { enabled: true } }],
    });
    const place = `change-requests/default/${(body as { id: number }).id}`;
    const visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place });
    const { page } = visit;
    await page.getByLabel('Your comment').fill(TYPED);
    await page.getByRole('navigation').getByRole('link', { name: 'Strategies' }).click();
    await page.getByRole('button', { name: 'Keep typing' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Keep typing' }).click();
    expect(await page.getByLabel('Your comment').inputValue()).to.equal(TYPED);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('The comment is added.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Strategies' }).click();
    await page.getByRole('heading', { name: 'Strategies' }).waitFor();
    await visit.close();
  });
});
