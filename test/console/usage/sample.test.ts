import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { type Api, aUser, openApi } from '../../support/admin-api/admin.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, openSignedIn, visitAs } from '../support/visit.ts';

/** The flag of the sample whose removal pays most. */
const FLAG = 'checkout-guest-mode';
const IN_CHECKOUT = `/api/admin/projects/sample-checkout/features/${FLAG}`;

const itInTurn = itByTurns(2);

describe('the console with the sample', () => {
  const world = sharedWorld();
  let admin: Service;
  let api: Api;

  before(async () => {
    expect((await callCli(world, 'sample')).output).to.include('A sample was made');
    admin = await runConsole(world);
    api = await openApi(admin.url);
  });

  it('leads from the link to the flag that can go first, why, its archive and the event', async () => {
    const visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: '' });
    const { page } = visit;
    await page
      .getByRole('heading', { name: 'This is the sample; nothing was received in this time' })
      .waitFor();
    await page.getByText('no relay sent it').waitFor();
    await page.getByRole('figure', { name: 'Evaluations of the sample' }).waitFor();
    await page
      .getByText(/^\w+ \(sample\) (created|changed|added|turned|marked|archived) /)
      .first()
      .waitFor();
    await visit.expectHarmless();

    await page.getByRole('navigation').getByRole('link', { name: 'Clean-up', exact: true }).click();
    await page.getByRole('heading', { name: '5 flags can go' }).waitFor();
    await page.locator('main').getByRole('link', { name: FLAG }).first().click();
    // Clean-up says the same of several flags, so wait until it is gone.
    await page.getByRole('heading', { name: FLAG }).waitFor();
    await page.getByText(/^Each of its [\d,]+ evaluations from .* was enabled\.$/).waitFor();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.getByText(`${FLAG} is archived.`).waitFor();

    await page.getByRole('navigation').getByRole('link', { name: 'Events', exact: true }).click();
    const event = page.getByRole('row').filter({ hasText: 'feature archived' }).first();
    await event.getByText(FLAG).waitFor();
    await event.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('dialog', { name: 'feature archived' }).getByText('After').waitFor();
    await visit.expectHarmlessAfterActs();
    await page.keyboard.press('Escape');
    await page.getByLabel('Event', { exact: true }).selectOption('feature archived');
    await page.getByRole('heading', { name: /on this page$/ }).waitFor();
    await visit.expectHarmlessAfterActs();
    await visit.close();
    await reviveAndTurnOn();
  });

  // Below, because its events push those of the sample out of the latest changes.
  describe('clean-up and change requests', () => {
    let editor: string;
    before(async () => {
      editor = (await aUser(api, 'Editor', 'edda')).token;
      await api.put('/api/admin/projects/sample-search/environments/production/change-requests/config', {
        requiredApprovals: 1,
      });
    });

    itInTurn('clean up: select flags by key, see the evidence, archive them and undo', async () => {
      await visiting(ADMIN_TOKEN, 'clean-up', async ({ page }) => {
        await page.getByRole('heading', { name: '5 flags can go' }).waitFor();
        await page.getByText('by applications with').first().waitFor();
        for (const name of [FLAG, 'checkout-tax-rounding']) {
          await page.locator('.candidates').getByRole('link', { name, exact: true }).focus();
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

    itNightly('clean up: undo nothing that somebody else revived and turned on meanwhile', async () => {
      await visiting(ADMIN_TOKEN, 'clean-up', async (visit) => {
        const { page } = visit;
        visit.allow(/status of 412/);
        await page.getByRole('checkbox', { name: `Select ${FLAG}` }).check();
        await page.getByRole('button', { name: 'Archive 1 flag' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Archive', exact: true }).click();
        await page.getByText('1 flag is archived.').waitFor();
        await reviveAndTurnOn();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText(/^Not undone\. /).waitFor();
      });
      const { body } = await api.get(IN_CHECKOUT);
      const { environments } = body as { environments: { name: string; enabled: boolean }[] };
      expect(environments.find((each) => each.name === 'production')?.enabled).to.equal(true);
    });

    itInTurn('clean up: open one change request for all where an Editor may not archive', async () => {
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
      expect(body).to.have.nested.property('items[0].archivesFeatures', true);
    });

    it('decide: see the difference, approve by key, comment and apply', async () => {
      await visiting(ADMIN_TOKEN, 'change-requests', async ({ page }) => {
        await page.getByRole('heading', { name: /^\d wait for you$/ }).waitFor();
        await page.getByRole('link', { name: /No social login during the move/ }).click();
        const difference = page.getByRole('row', { name: 'Turn off' });
        await difference.locator('del', { hasText: 'on' }).waitFor();
        await difference.locator('ins', { hasText: 'off' }).waitFor();
        await page.getByLabel('Your comment').fill('<b>Sunday</b> is fine.');
        await page.getByRole('button', { name: 'Comment', exact: true }).click();
        await page.getByText('<b>Sunday</b> is fine.').waitFor();
        await page.getByRole('heading', { name: /needs 1 approval/ }).click();
        await page.keyboard.press('a');
        await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
        await page.getByRole('heading', { name: /is approved/ }).waitFor();
        await page.getByRole('button', { name: 'Apply' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
        await page.getByRole('heading', { name: /is applied/ }).waitFor();
      });
      const { body } = await api.get('/api/admin/search/events?type=change-request-applied');
      expect(body).to.have.nested.property('items[0].project', 'sample-account');
    });

    itNightly('decide: reject and schedule, and never let an Editor approve the own request', async () => {
      await visiting(editor, 'change-requests?state=In+review', async ({ page }) => {
        await page.getByRole('heading', { name: '1 waits for you' }).waitFor();
        await page.getByRole('link', { name: /Archive 2 flags/ }).click();
        await page.getByRole('button', { name: 'Cancel the request' }).waitFor();
        expect(await page.getByRole('button', { name: /Approve|Reject/ }).count()).to.equal(0);
        await page.goBack();
        await page.getByRole('link', { name: /Remove the unused search/ }).click();
        await page.getByRole('button', { name: 'Reject' }).waitFor();
        await page.keyboard.press('r');
        await page.getByRole('dialog').getByLabel('Comment').fill('Not yet.');
        await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
        await page.getByRole('heading', { name: /is rejected/ }).waitFor();
        await page.getByText('Not yet.').waitFor();
      });
      await visiting(ADMIN_TOKEN, 'change-requests', async ({ page }) => {
        await page.getByRole('link', { name: /Archive 2 flags/ }).click();
        await page.getByRole('button', { name: 'Approve' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
        await page.getByRole('button', { name: 'Schedule' }).click();
        await page.getByLabel('Time (UTC)').fill('2099-01-31T06:00');
        await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click();
        await page.getByRole('heading', { name: /is scheduled/ }).waitFor();
        await page.getByText('2099-01-31 06:00').waitFor();
      });
    });

    itNightly('show a Viewer the difference, the evidence, and nothing to press', async () => {
      const { token: viewer } = await aUser(api, 'Viewer', 'vera');
      await visiting(viewer, 'change-requests', async ({ page }) => {
        await page.getByRole('link', { name: /Archive 2 flags/ }).click();
        await page.getByRole('row', { name: 'Archive' }).first().waitFor();
        await page.waitForLoadState('networkidle');
        expect(await page.locator('main').getByRole('button').count()).to.equal(0);
      });
      await visiting(viewer, 'clean-up', async ({ page }) => {
        await page.getByRole('heading', { name: '5 flags can go' }).waitFor();
        await page.waitForLoadState('networkidle');
        // Those of the charts change nothing.
        expect(await page.locator('main :not(figure *)').and(page.getByRole('button')).count()).to.equal(0);
        expect(await page.locator('main').getByRole('checkbox').count()).to.equal(0);
      });
    });
  });

  async function reviveAndTurnOn(): Promise<void> {
    expect((await api.post(`/api/admin/archive/revive/${FLAG}`)).status).to.equal(200);
    expect((await api.post(`${IN_CHECKOUT}/environments/production/on`)).status).to.equal(200);
  }

  function visiting(token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    return visitAs({ url: admin.url, token, place }, act);
  }
});
