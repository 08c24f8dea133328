import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { untilCounted } from '../support/stack/engines/kafka/topics.ts';
import { ENTRIES } from '../../services/console/pages/app/entries.ts';
import { aFeature, aUser, openApi } from '../support/admin-api/admin.ts';
import { eventually } from '../support/eventually.ts';
import { itByTurns, itNightly, someByDay } from '../support/nightly.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { startCounting } from '../support/stories/counting.ts';
import { ADMIN_TOKEN, sharedWorld } from '../support/world.ts';
import { pressPair } from './support/press-pair.ts';
import { runConsole } from './support/run-console.ts';
import { type Visit, openSignedIn } from './support/visit.ts';

const PAGES = ENTRIES.map(({ title }) => title);
const NAMES = ['<img src=x onerror=alert(1)>', `\u202e gnp.\u200f`, 'x'.repeat(255), `"'&amp;{{7*7}}`];
const FEATURES = 300;
/** The first of them. */
const WITH_EVENTS = 20;
const WIDE_PX = 1280;
const NARROW_PX = 390;

const itInTurn = itByTurns(2);

describe('the console: pages', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let ingest: Service;
  let admin: Service;
  let visit: Visit;

  before(async () => {
    [ingest, admin] = await Promise.all([startCounting(world), runConsole(world)]);
    const api = await openApi(admin.url);
    for (let at = 0; at < WITH_EVENTS; at += 1) await aFeature(api, `flag-${String(at).padStart(3, '0')}`);
    await world.db.query(
      `insert into features (name, project)
       select 'flag-' || lpad(n::text, 3, '0'), 'default'
       from generate_series($1::int, $2 - 1) as n`,
      [WITH_EVENTS, FEATURES],
    );
    const metrics = NAMES.map((featureName) => aFreshMetric({ featureName, yes: 3 }));
    await post(ingest, {
      body: bodyOf({ metrics: [...metrics, aFreshMetric({ featureName: 'flag-000', yes: 812 })] }),
    });
    await untilCounted(world);
    visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'strategies' });
  });
  // The tests share a visit. Each begins at a page with few queries.
  beforeEach(() => visit.page.evaluate("location.hash = '#/strategies'"));
  afterEach(() => visit.expectHarmlessAfterActs());
  after(() => visit.close());

  it('are harmless and accessible, and fit a wide and a narrow window', async () => {
    const { page } = visit;
    for (const name of someByDay(PAGES, 1 / 3)) {
      await goTo(page, name);
      await visit.expectHarmless();
      expect(await widthOf(page), name).to.equal(WIDE_PX);
      await page.setViewportSize({ width: NARROW_PX, height: 900 });
      // A chart takes its new width a moment later.
      await eventually(
        () => widthOf(page),
        (width) => width === NARROW_PX,
      );
      await page.setViewportSize({ width: WIDE_PX, height: 900 });
    }
  });

  itNightly('are harmless and accessible as they open in the dark, in a narrow window', async () => {
    const place = { url: admin.url, token: ADMIN_TOKEN, place: 'strategies' };
    const dark = await openSignedIn(place, { theme: 'dark', width: NARROW_PX });
    for (const name of PAGES) {
      await goTo(dark.page, name);
      await dark.expectHarmless();
      expect(await widthOf(dark.page), name).to.equal(NARROW_PX);
    }
    await dark.close();
  });

  itInTurn('show the accounting as one sentence, which counts on without a reload', async () => {
    const { page } = visit;
    const sentence = page.locator('.equation');
    await page.goto(`${admin.url}/#/`);
    await page.getByRole('heading', { name: 'Everything received is accounted for' }).waitFor();
    expect((await sentence.innerText()).replaceAll(/\s+/g, ' ')).to.equal(
      '5 received = 5 counted + 0 refused + 0 duplicate + 0 dead',
    );
    await page.evaluate('globalThis.isSamePage = true');
    for (const received of [6, 7]) {
      await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ featureName: 'flag-000' })] }) });
      await sentence.filter({ hasText: `${received} received=${received} counted` }).waitFor();
    }
    await page.getByRole('heading', { name: 'Everything received is accounted for' }).waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).to.equal(true);
  });

  itNightly('ask for nothing that a Viewer may not read', async () => {
    const viewer = await aUser(await openApi(admin.url), 'Viewer', 'onlooker');
    const onlooker = await openSignedIn({ url: admin.url, token: viewer.token, place: '' });
    await onlooker.page.getByRole('heading', { name: 'Who reports' }).waitFor();
    expect(await onlooker.page.getByRole('heading', { name: 'Latest changes' }).count()).to.equal(0);
    await onlooker.expectHarmlessAfterActs();
    await onlooker.close();
  });

  itInTurn('show names as text', async () => {
    await pressPair(visit.page, 'g', 'c');
    for (const name of NAMES) await visit.page.getByTitle(name, { exact: true }).first().waitFor();
    expect(await visit.page.locator('main img').count()).to.equal(0);
    expect(await widthOf(visit.page)).to.equal(WIDE_PX);
  });

  itInTurn('find a feature by keys alone, with the search in the URL', async () => {
    const { page } = visit;
    await pressPair(page, 'g', 'f');
    await page.getByRole('heading', { name: `${FEATURES} features` }).waitFor();
    expect(await page.locator('tbody tr').count()).to.be.lessThan(FEATURES / 2);

    await page.keyboard.press('/');
    await page.keyboard.type('LAG-29');
    await page.getByRole('heading', { name: `10 features of ${FEATURES}` }).waitFor();
    expect(new URL(page.url()).hash).to.equal('#/features?q=LAG-29');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'flag-291' }).waitFor();
  });

  itInTurn('show the end of a long list when it is scrolled there', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/features?sort=-name`);
    await page.getByRole('link', { name: 'flag-299' }).waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('link', { name: 'flag-000' }).waitFor();
  });

  itInTurn('list the keys', async () => {
    await visit.page.keyboard.press('?');
    await visit.page.getByRole('dialog', { name: 'Help' }).waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('dialog', { name: 'Help' }).waitFor({ state: 'hidden' });
  });

  itInTurn('remember theme and time zone', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'System theme' }).click();
    await page.getByRole('button', { name: 'Light theme' }).click();
    await page.getByRole('button', { name: 'UTC' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Dark theme' }).waitFor();
    await page.getByRole('button', { name: 'Local time' }).waitFor();
  });
});

/** Clicks the link of a page, and waits until the page has read its data. */
async function goTo(page: Page, name: string): Promise<void> {
  const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
  await link.click();
  await link.and(page.locator('[aria-current]')).waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}
