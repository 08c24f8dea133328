import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { aFeature, aUser, openApi } from '../../support/admin-api/admin.ts';
import { anApplication } from '../../support/builders/builders.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, visitAs } from '../support/visit.ts';

const itInTurn = itByTurns(3);

describe('the console: administration', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let admin: Service;
  let viewer: string;

  before(async () => {
    const [ingest, running] = await Promise.all([startCounting(world), runConsole(world)]);
    admin = running;
    viewer = (await aUser(await openApi(admin.url), 'Viewer', 'vera')).token;
    const old = aFreshMetric({ featureName: 'last-year', timestamp: '2020-01-01T00:00:00Z' });
    await post(ingest, {
      body: bodyOf({
        metrics: [old, aFreshMetric({ featureName: 'basket', appName: 'shop', yes: 3, no: 1 })],
        applications: [
          anApplication({
            appName: 'shop',
            instanceId: 'one',
            environment: 'production',
            sdkVersion: 'node:6.0.0',
            platformName: 'node',
            platformVersion: 'v22.9.0',
            connectVia: [{ appName: 'edge', instanceId: 'edge-eu' }],
          }),
        ],
      }),
    });
    await untilCounted(world);
  });

  itInTurn('show what was refused, why, and what to do about it', async () => {
    await visiting(ADMIN_TOKEN, 'refused', async ({ page }) => {
      await page.getByRole('heading', { name: 'Too old: 1 in 30 days' }).waitFor();
      await page.getByText('raise MAX_METRIC_AGE_HOURS').waitFor();
      await page.getByRole('rowheader', { name: 'last-year' }).waitFor();
    });
  });

  itInTurn('show which relay fell silent, the SDK of an application, and what it evaluates', async () => {
    await world.db.query(
      "update api_tokens set seen_at = now() - interval '3.5 hours' where environment = 'development'",
    );
    await visiting(ADMIN_TOKEN, 'applications', async ({ page }) => {
      await page
        .getByRole('table', { name: 'Relays and SDKs, by token' })
        .getByText('silent for 3 h')
        .waitFor();
      await page.getByRole('link', { name: 'shop' }).click();
      await page.getByRole('heading', { name: 'shop runs in 1 instance' }).waitFor();
      await page.getByRole('cell', { name: 'node:6.0.0' }).waitFor();
      await page.getByRole('cell', { name: 'node v22.9.0' }).waitFor();
      await page.getByRole('cell', { name: 'edge (edge-eu)' }).waitFor();
      const evaluated = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'basket' }) });
      await evaluated.getByRole('cell', { name: '75.0 %' }).waitFor();
      await evaluated.getByRole('cell', { name: '4', exact: true }).waitFor();
    });
  });

  itInTurn('show an event when it happens', async () => {
    await visiting(ADMIN_TOKEN, 'events', async ({ page }) => {
      await page.getByRole('row').filter({ hasText: 'user created' }).first().waitFor();
      await aFeature(await openApi(admin.url), 'just-created');
      await page.getByRole('link', { name: 'just-created' }).waitFor();
    });
  });

  itInTurn('show the secret of a new token once, and revoke the token', async () => {
    await visiting(ADMIN_TOKEN, 'tokens', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'New API token' }).click();
      await page.getByLabel('Name', { exact: true }).fill('edge-2');
      await visit.expectHarmlessAfterActs();
      await page.getByRole('button', { name: 'Create' }).click();
      const field = page.getByLabel('Secret. It is never shown again.');
      await field.waitFor();
      const secret = await field.inputValue();
      expect(secret).to.match(/^\*:production\../);
      await visit.expectHarmlessAfterActs();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await field.waitFor({ state: 'detached' });
      expect(await page.content()).to.not.include(secret);
      expect(page.url()).to.not.include(secret);

      await page.getByRole('button', { name: 'Revoke edge-2' }).click();
      await page.getByLabel('This cannot be undone.').fill('edge-2');
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('edge-2 is revoked.').waitFor();
      await page.getByRole('button', { name: 'Revoke edge-2' }).waitFor({ state: 'detached' });
    });
  });

  itInTurn('rotate a token, and show the secret of its successor once', async () => {
    const api = await openApi(admin.url);
    const token = { tokenName: 'edge-3', type: 'client', environment: 'production' };
    const { body } = await api.post('/api/admin/api-tokens', token);
    const { id } = body as { id: string };
    await visiting(ADMIN_TOKEN, 'tokens', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Rotate edge-3' }).click();
      await page.getByLabel('Days until the old token ends').fill('3');
      await visit.expectHarmlessAfterActs();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
      const field = page.getByLabel('Secret. It is never shown again.');
      await field.waitFor();
      expect(await field.inputValue()).to.match(/^\*:production\../);
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByText(`replaces ${id.slice(0, 8)}`).waitFor();
      expect(await page.getByRole('button', { name: 'Rotate edge-3' }).count()).to.equal(1);
      await page.getByLabel('Unused').selectOption('for 90 days');
      await page.getByText('Every token was used or created since.').waitFor();
    });
  });

  itNightly('add a user, change the role and undo it, and remove the user', async () => {
    await visiting(ADMIN_TOKEN, 'users', async ({ page }) => {
      await page.getByRole('button', { name: 'New user' }).click();
      await page.getByLabel('User name').fill('ed');
      await page.getByRole('button', { name: 'Create' }).click();
      const role = page.getByLabel('Role of ed');
      await role.selectOption('Editor');
      await page.getByText('ed is Editor.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await page.locator('select[aria-label="Role of ed"]:enabled').waitFor();
      await page.getByRole('button', { name: 'Tokens of ed' }).click();
      await page.getByText('There is no personal token.').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'Remove ed' }).click();
      await page.getByLabel('This cannot be undone.').fill('ed');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await role.waitFor({ state: 'detached' });
    });
  });

  itNightly('create a strategy, deprecate it, undo it, and delete it', async () => {
    await visiting(ADMIN_TOKEN, 'strategies', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'New strategy' }).click();
      await page.getByLabel('Name', { exact: true }).fill('by-country');
      await page.getByLabel('Parameters, one a line').fill('country\nregion: list, required');
      await visit.expectHarmlessAfterActs();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByText('country, region').waitFor();
      await page.getByRole('button', { name: 'Edit by-country' }).click();
      await page.getByLabel('Description').fill('On in some countries');
      const parameters = page.getByLabel('Parameters, one a line');
      expect(await parameters.inputValue()).to.equal('country: string\nregion: list, required');
      await parameters.fill('country: string\nregion: list, required\ncity: string');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('cell', { name: 'On in some countries' }).waitFor();
      await page.getByText('country, region, city').waitFor();
      await page.getByRole('button', { name: 'Deprecate by-country' }).click();
      await page.getByRole('button', { name: 'Reactivate by-country' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone.').waitFor();
      await page.getByRole('button', { name: 'Delete by-country' }).click();
      await page.getByLabel('This cannot be undone.').fill('by-country');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('country, region, city').waitFor({ state: 'detached' });
    });
  });

  itNightly('store the feedback of a Viewer', async () => {
    await visiting(viewer, 'feedback', async ({ page }) => {
      await page.getByRole('button', { name: 'Give feedback' }).click();
      await page.getByLabel('Part of the product').fill('search');
      await page.getByLabel('How easy is it?').fill('6');
      await page.getByLabel('What do you like?').fill('It is fast.');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('heading', { name: '1 answer, ease 6.0 of 7' }).waitFor();
      await page.getByText('Liked: It is fast.').waitFor();
    });
  });

  itInTurn('show a Viewer only their own tokens, and no page that they may not read', async () => {
    await visiting(viewer, 'tokens', async ({ page }) => {
      await page.getByRole('heading', { name: 'Your personal tokens' }).waitFor();
      const links = page.getByRole('navigation').getByRole('link');
      expect(await links.filter({ hasText: /^(Users|Events)$/ }).count()).to.equal(0);
      expect(await page.getByRole('button', { name: 'New API token' }).count()).to.equal(0);
      expect(await links.filter({ hasText: /^Tokens$/ }).count()).to.equal(1);
    });
  });

  function visiting(token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    return visitAs({ url: admin.url, token, place }, act);
  }
});
