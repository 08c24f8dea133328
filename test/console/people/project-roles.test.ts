import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Api, aFeature, aUser, openApi } from '../../support/admin-api/admin.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, visitAs } from '../support/visit.ts';

const itInTurn = itByTurns(2);

describe('the console: roles of projects', () => {
  const world = sharedUncountedWorld();
  let admin: Service;
  let api: Api;
  /** Has no root role, is Editor of the shop in development, Viewer of the blog, and nothing of the rest. */
  let mixed: string;
  let owner: string;

  before(async () => {
    admin = await runConsole(world);
    api = await openApi(admin.url);
    for (const id of ['shop', 'blog', 'rest']) {
      await api.post('/api/admin/projects', { id, name: id });
      await aFeature(api, `${id}-flag`, id);
    }
    mixed = (await aUser(api, 'None', 'mia')).token;
    owner = (await aUser(api, 'None', 'olga')).token;
    for (const [project, user, role, environments] of [
      ['shop', 'mia', 'Editor', ['development']],
      ['blog', 'mia', 'Viewer', []],
      ['shop', 'olga', 'Owner', []],
      ['blog', 'olga', 'Viewer', []],
    ] as const) {
      const { status } = await api.post(`/api/admin/projects/${project}/access`, {
        user,
        role,
        environments,
      });
      expect(status).to.equal(200);
    }
  });

  itInTurn('show the buttons of a feature only in the project and environment where they work', async () => {
    await visiting(mixed, 'features/shop-flag', async ({ page }) => {
      await page.getByRole('button', { name: 'Turn on in development' }).click();
      await page.getByText('shop-flag is on in development.').waitFor();
      await page.getByRole('button', { name: 'Turn off in development' }).waitFor();
      expect(await actionsOf(page)).to.deep.equal(['Favourite', 'Turn off in development', 'Edit', 'Guards']);
      await page.getByRole('button', { name: 'Add a strategy in development' }).waitFor();
      expect(await page.getByRole('button', { name: 'Add a strategy in production' }).count()).to.equal(0);
    });
    await visiting(mixed, 'features/blog-flag', async ({ page }) => {
      await page.getByRole('heading', { name: 'Strategies' }).waitFor();
      expect(await actionsOf(page)).to.deep.equal(['Favourite']);
      expect(await page.getByRole('button', { name: /^Add a strategy/ }).count()).to.equal(0);
    });
  });

  itInTurn('offer the steps of a change request only where the reader may take them', async () => {
    for (const environment of ['development', 'production']) {
      const { id } = await aRequest('shop', environment);
      await visiting(mixed, `change-requests/shop/${id}`, async ({ page }) => {
        await page.getByLabel('Your comment').waitFor();
        const approve = page.getByRole('button', { name: 'Approve' });
        expect(await approve.count()).to.equal(environment === 'development' ? 1 : 0);
      });
    }
  });

  itNightly('offer no step of a change request to who may only read it', async () => {
    const { id } = await aRequest('blog', 'development');
    await visiting(mixed, `change-requests/blog/${id}`, async ({ page }) => {
      await page.getByText('Nobody commented.').waitFor();
      await page.getByRole('heading', { name: 'Changes', exact: true }).waitFor();
      expect(await page.getByLabel('Your comment').count()).to.equal(0);
      expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
    });
  });

  itInTurn('show only the pages and numbers of the projects', async () => {
    await visiting(mixed, '', async ({ page }) => {
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await page.getByText('Nothing needs you.').waitFor();
      expect(await page.getByRole('heading', { name: 'Latest changes' }).count()).to.equal(0);
      expect(await page.getByRole('navigation').getByRole('link').allTextContents()).to.deep.equal([
        'flagmeter',
        'Overview',
        'Features',
        'Clean-up',
        'Change requests',
        'Projects',
        'Strategies',
        'Tokens',
      ]);
      await page.getByRole('link', { name: 'Clean-up' }).click();
      await page.getByRole('heading', { name: 'Nothing to clean up' }).waitFor();
    });
  });

  itNightly('show an owner the latest changes of their projects only', async () => {
    await visiting(owner, '', async ({ page }) => {
      await page.getByRole('heading', { name: 'Latest changes' }).waitFor();
      await page.getByRole('link', { name: 'shop-flag' }).first().waitFor();
      expect(await page.getByRole('link', { name: 'blog-flag' }).count()).to.equal(0);
    });
  });

  itNightly('let an owner create and revoke the tokens of their projects', async () => {
    await api.post('/api/admin/api-tokens', {
      tokenName: 'of-blog',
      type: 'client',
      environment: 'production',
      projects: ['blog'],
    });
    await visiting(owner, 'tokens', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'New API token' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name', { exact: true }).fill('of-shop');
      const projects = dialog.getByLabel('Projects').locator('option');
      await projects.first().waitFor({ state: 'attached' });
      expect(await projects.allTextContents()).to.deep.equal(['shop']);
      expect(await dialog.getByLabel('Type').locator('option').count()).to.equal(2);
      await visit.expectHarmlessAfterActs();
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByLabel('Secret. It is never shown again.').waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Revoke of-shop' }).click();
      await page.getByLabel('This cannot be undone.').fill('of-shop');
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('of-shop is revoked.').waitFor();
      expect(await page.getByText('of-blog').count()).to.equal(0);
    });
    await visiting(mixed, 'tokens', async ({ page }) => {
      await page.getByRole('heading', { name: 'Your personal tokens' }).waitFor();
      expect(await page.getByRole('button', { name: 'New API token' }).count()).to.equal(0);
    });
  });

  itInTurn('let an owner see who has which role, grant one, revoke it and undo that', async () => {
    await visiting(owner, 'access', async (visit) => {
      const { page } = visit;
      await page.getByRole('heading', { name: '2 users have a role in shop' }).waitFor();
      expect(await page.getByLabel('Project').locator('option').allTextContents()).to.deep.equal(['shop']);
      await visit.expectHarmless();
      const row = (text: string) => page.getByRole('row').filter({ hasText: text });
      await row('mia').filter({ hasText: 'Editor' }).getByText('development').waitFor();
      await page.getByRole('button', { name: 'Grant a role' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('E-mail address or user name').fill('nobody');
      await dialog.getByLabel('Role').selectOption('Viewer');
      await visit.expectHarmlessAfterActs();
      visit.allow(/status of 400/);
      await dialog.getByRole('button', { name: 'Grant' }).click();
      await dialog.getByRole('alert').waitFor();
      await dialog.getByLabel('E-mail address or user name').fill('mia');
      await dialog.getByLabel('Environments').selectOption(['production']);
      await dialog.getByRole('button', { name: 'Grant' }).click();
      await row('Viewer').getByText('production').waitFor();

      await page.getByRole('button', { name: 'Revoke Viewer of mia' }).click();
      await dialog.getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('mia is no longer Viewer.').waitFor();
      await row('Viewer').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await row('Viewer').getByText('production').waitFor();

      await page.getByRole('button', { name: 'Revoke Owner of olga' }).click();
      await dialog.getByLabel('This cannot be undone.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Revoke' }).isDisabled()).to.equal(true);
    });
  });

  itNightly('offer no way to revoke what groups of the identity provider gave', async () => {
    await world.db.query(
      `insert into project_roles (user_id, project, role, environments, from_groups)
       select id, 'rest', 'Viewer', '{}', true from users where username = 'mia'`,
    );
    await visiting(ADMIN_TOKEN, 'access?project=rest', async ({ page }) => {
      await page.getByRole('heading', { name: '1 user has a role in rest' }).waitFor();
      await page.getByRole('row').filter({ hasText: 'mia' }).getByText('groups').waitFor();
      expect(await page.getByRole('button', { name: /^Revoke/ }).count()).to.equal(0);
      await page.getByLabel('Project').selectOption('shop');
      await page.getByRole('button', { name: 'Revoke Editor of mia' }).waitFor();
    });
  });

  /** The buttons of a feature that is not archived, in their order. */
  async function actionsOf(page: Page): Promise<string[]> {
    const buttons = page.locator('.buttons').filter({ has: page.getByRole('button', { name: 'Favourite' }) });
    await buttons.waitFor();
    const texts = await buttons.getByRole('button').allTextContents();
    return texts.map((text) => text.trim().replace(/ *\d+ \/ h$/, ''));
  }

  async function aRequest(project: string, environment: string): Promise<{ id: number }> {
    const path = `/api/admin/projects/${project}`;
    const changes = [{ feature: `${project}-flag`, action: 'updateEnabled', payload: { enabled: true } }];
    const { body, headers } = await api.post(`${path}/environments/${environment}/change-requests`, {
      title: `Turn on in ${environment}`,
      changes,
    });
    const { id } = body as { id: number };
    const submitted = await api.put(
      `${path}/change-requests/${id}/state`,
      { state: 'In review' },
      { headers: { 'if-match': headers.get('etag') ?? '' } },
    );
    expect(submitted.status).to.equal(200);
    return { id };
  }

  /** Reads nothing that the server refuses: the browser would report it. */
  function visiting(token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    return visitAs({ url: admin.url, token, place }, act);
  }
});
