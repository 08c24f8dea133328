import { expect } from 'chai';
import type { Service } from '#runtime';
import { aFeature, aUser, openApi } from '../support/admin.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { startCounting } from '../support/stories/counting.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { type Visit, openSignedIn } from './support/visit.ts';

const PAGES = [
  'Overview',
  'Features',
  'Clean-up',
  'Change requests',
  'Events',
  'Applications',
  'Relays',
  'Strategies',
  'Feedback',
  'Tokens',
  'Users',
  'Refused',
  'Accounting',
];
const NAMES = ['<img src=x onerror=alert(1)>', `\u202e gnp.\u200f`, 'x'.repeat(255), `"'&amp;{{7*7}}`];
const FEATURES = 300;
/** The first of them. */
const WITH_EVENTS = 20;

describe('the console: pages', () => {
  let world: World;
  let ingest: Service;
  let admin: ServiceProcess;
  let visit: Visit;

  before(async () => {
    world = await createWorld();
    [ingest, admin] = await Promise.all([startCounting(world), world.fork('admin')]);
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
    await world.settled();
  });
  beforeEach(async () => {
    visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'strategies' });
  });
  afterEach(async () => {
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });
  after(() => world.dispose());

  // By day, axe-core sees the dark theme and a narrow window only on pages with tests of their own.
  for (const [theme, width, expectHarmless] of [
    ['light', 1280, 'expectHarmless'],
    ['dark', 390, 'expectHarmlessAfterActs'],
  ] as const)
    it(`are harmless and accessible: ${theme}, ${width} px`, async () => {
      const place = { url: admin.url, token: ADMIN_TOKEN, place: 'strategies' };
      const themed = await openSignedIn(place, { theme, width });
      for (const name of PAGES) {
        const link = themed.page.getByRole('navigation').getByRole('link', { name, exact: true });
        await link.click();
        await link.and(themed.page.locator('[aria-current]')).waitFor();
        await themed.page.locator('main [aria-busy]').first().waitFor({ state: 'detached' });
        await themed[expectHarmless]();
        expect(await themed.page.evaluate<number>('document.documentElement.scrollWidth'), name).to.equal(
          width,
        );
      }
      await themed.close();
    });

  it('show the accounting as one sentence, which counts on while batches arrive, without a reload', async () => {
    const { page } = visit;
    const sentence = page.locator('.equation');
    await page.goto(`${admin.url}/#/`);
    await page.getByRole('heading', { name: 'Everything received is accounted for' }).waitFor();
    expect((await sentence.innerText()).replaceAll(/\s+/g, ' ')).to.equal(
      '5 received = 5 counted + 0 refused + 0 duplicate + 0 dead',
    );
    await page.locator('.live').getByText('live').waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    for (const received of [6, 7]) {
      await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ featureName: 'flag-000' })] }) });
      await sentence.filter({ hasText: `${received} received=${received} counted` }).waitFor();
    }
    await page.getByRole('heading', { name: 'Everything received is accounted for' }).waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).to.equal(true);
  });

  it('open one stream for all pages, and only while a page uses it', async () => {
    const { page } = visit;
    const streams: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/admin/live')) streams.push(request.url());
    });
    await page.goto(`${admin.url}/#/`);
    await page.locator('.live').getByText('live').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await page.getByRole('table').first().waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await page.locator('.live').getByText('live').waitFor();
    expect(streams).to.have.length(1);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/admin/live'));
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await closed;
  });

  it('ask for nothing that a Viewer may not read', async () => {
    const viewer = await aUser(await openApi(admin.url), 'Viewer', 'onlooker');
    const onlooker = await openSignedIn({ url: admin.url, token: viewer.token, place: '' });
    await onlooker.page.locator('.live').getByText('live').waitFor();
    await onlooker.page.getByRole('heading', { name: 'Who reports' }).waitFor();
    expect(await onlooker.page.getByRole('heading', { name: 'Latest changes' }).count()).to.equal(0);
    await onlooker.expectHarmlessAfterActs();
    await onlooker.close();
  });

  it('show names as text', async () => {
    await visit.page.keyboard.press('g');
    await visit.page.keyboard.press('c');
    for (const name of NAMES) await visit.page.getByTitle(name, { exact: true }).first().waitFor();
    expect(await visit.page.locator('main img').count()).to.equal(0);
    expect(await visit.page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(1280);
  });

  it('find a feature by keys alone, with the search in the URL', async () => {
    const { page } = visit;
    await page.keyboard.press('g');
    await page.keyboard.press('f');
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

  it('show the end of a long list when it is scrolled there', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/features?sort=-name`);
    await page.getByRole('link', { name: 'flag-299' }).waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('link', { name: 'flag-000' }).waitFor();
  });

  it('list the keys', async () => {
    await visit.page.keyboard.press('?');
    await visit.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await visit.page.keyboard.press('Escape');
    await visit.page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
  });

  it('remember theme and time zone', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: 'System theme' }).click();
    await page.getByRole('button', { name: 'Light theme' }).click();
    await page.getByRole('button', { name: 'UTC' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Dark theme' }).waitFor();
    await page.getByRole('button', { name: 'Local time' }).waitFor();
  });
});
