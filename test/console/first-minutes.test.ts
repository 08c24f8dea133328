import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { runCli } from '../support/processes/cli.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { openBrowser, openSignedIn } from './support/visit.ts';

/** The flag of the sample whose removal pays most. */
const FLAG = 'checkout-guest-mode';

describe('the console: the first minutes with the sample', () => {
  let world: World;
  let admin: ServiceProcess;
  let browser: Browser;

  before(async () => {
    world = await createWorld();
    admin = await world.fork('admin');
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await world.dispose();
  });

  it('lead from the printed link to the flag that can go first, why, its archive and the event', async () => {
    const { stdout } = await runCli(world, ['sample']);
    expect(stdout).to.include('A sample was made');
    const visit = await openSignedIn(browser, { url: admin.url, token: ADMIN_TOKEN });
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
  });
});
