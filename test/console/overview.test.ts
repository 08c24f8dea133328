import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { Service } from '#runtime';
import { aUser, openApi } from '../support/admin.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { startCounting } from '../support/stories/counting.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { type Visit, linkOf, openBrowser, openVisit } from './support/visit.ts';

describe('the console: overview', () => {
  let world: World;
  let ingest: Service;
  let admin: ServiceProcess;
  let browser: Browser;
  let visit: Visit;

  before(async () => {
    // In turn, so that a world that cannot be created leaves no browser behind.
    world = await createWorld();
    browser = await openBrowser();
    [ingest, admin] = await Promise.all([startCounting(world), world.fork('admin')]);
  });
  beforeEach(async () => {
    visit = await openVisit(browser, admin.url);
  });
  afterEach(async () => {
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });
  after(async () => {
    await browser.close();
    await world.dispose();
  });

  const send = (yes: number) => post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ yes })] }) });
  const sentenceWith = (received: number) =>
    visit.page.locator('.equation', { hasText: `${received} received=${received} counted` });

  it('counts on while batches arrive, without a reload', async () => {
    const { page } = visit;
    await page.goto(linkOf(admin.url, ADMIN_TOKEN));
    await page.locator('.live').getByText('live').waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    await send(1);
    await sentenceWith(1).waitFor();
    await send(2);
    await sentenceWith(2).waitFor();
    await page.getByRole('heading', { name: 'Everything received is accounted for' }).waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).to.equal(true);
  });

  it('opens one stream for all pages, and only while a page uses it', async () => {
    const { page } = visit;
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/admin/live')) streams.push(request.url());
    });
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/admin/live'));
    await page.goto(linkOf(admin.url, ADMIN_TOKEN));
    await page.locator('.live').getByText('live').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.getByRole('table').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.locator('.live').getByText('live').waitFor();
    expect(streams).to.have.length(1);
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await closed;
  });

  it('asks for nothing that a Viewer may not read', async () => {
    const { page } = visit;
    const viewer = await aUser(await openApi(admin.url), 'Viewer', 'onlooker');
    await page.goto(linkOf(admin.url, viewer.token));
    await page.locator('.live').getByText('live').waitFor();
    await page.getByRole('heading', { name: 'Who reports' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Latest changes' }).count()).to.equal(0);
  });
});
