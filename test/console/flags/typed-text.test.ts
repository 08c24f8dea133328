import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Api, aFeature, aUser, openApi } from '../../support/admin-api/admin.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { IN_A_MONTH } from '../../support/times.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, openSignedIn } from '../support/visit.ts';

const TYPED = 'What took an hour to write';
const CART = '/api/admin/projects/default/features/cart';

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
    visit.allow(/status of (401|412|429|503)/);
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

  it('is saved although somebody turned the feature on in another environment meanwhile', () =>
    typing(async ({ page }) => {
      await api.post(`${CART}/environments/development/on`);
      await save(page);
      await expectSaved(page);
      await api.post(`${CART}/environments/development/off`);
    }));

  it('stays beside what somebody else has written meanwhile, and replaces it only if it is sent again', () =>
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
    }));

  it('is not dropped by Escape or Back without a question', () =>
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
    }));

  it('asks nothing if nothing was typed', async () => {
    const visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'features/cart' });
    visit.allow(/status of (429|503)/);
    const { page } = visit;
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Description').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visit.close();
  });

  it('waits below the sign-in when the token ends, and is saved after it', async () => {
    const user = await aUser(api, 'Admin', 'writer');
    await typing(async (visit) => {
      const { page } = visit;
      const other = await api.post(
        '/api/admin/user/tokens',
        { description: 'second', expiresAt: IN_A_MONTH },
        { token: user.token },
      );
      const first = await api.get('/api/admin/user/tokens', { token: user.token });
      const { pats } = first.body as { pats: { id: string; description: string }[] };
      const used = pats.find(({ description }) => description !== 'second');
      await api.delete(`/api/admin/user/tokens/${used?.id ?? ''}`, { token: user.token });
      await save(page);
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await again.getByLabel('ADMIN token or personal token').fill((other.body as { secret: string }).secret);
      await page.keyboard.press('Escape');
      expect(await page.getByLabel('Description').isVisible()).to.equal(false);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await again.waitFor({ state: 'detached' });
      await expectTyped(page);
      await save(page);
      await expectSaved(page);
    }, user.token);
  });

  it('of one person is not shown to another who signs in', async () => {
    const user = await aUser(api, 'Admin', 'leaver');
    await typing(async ({ page }) => {
      await api.delete(`/api/admin/user-admin/${user.id}`);
      // The page may have noticed it before, and hidden the button.
      await page.evaluate("document.querySelector('dialog form').requestSubmit()");
      const again = page.getByRole('dialog', { name: 'Sign in again' });
      await again.getByLabel('ADMIN token or personal token').fill(ADMIN_TOKEN);
      await again.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
      expect(await page.getByLabel('Description').count()).to.equal(0);
    }, user.token);
  });

  it('as a comment is not dropped by a link without a question', async () => {
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
    expect(await page.getByLabel('Your comment').inputValue()).to.equal(TYPED);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('The comment is added.').waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Strategies' }).click();
    await page.getByRole('heading', { name: 'Strategies' }).waitFor();
    await visit.close();
  });
});
