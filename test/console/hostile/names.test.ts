import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { type Entry, ROUTES } from '../../../services/console/pages/app/entries.ts';
import { formatRoute } from '../../../services/console/state/app/route.ts';
import { type Api, aFeature, openApi } from '../../support/admin-api/admin.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { someByDay } from '../../support/nightly.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, openSignedIn } from '../support/visit.ts';
import { FOUND_LOOSE } from './isolation.ts';
import { HOSTILE_NAMES } from './names.ts';

/** The routes of the console, from its own list, each with every name below it. */
const PLACES = ROUTES.flatMap(({ path, below }: Pick<Entry, 'path' | 'below'>) => {
  const pages = path === '' ? [[]] : [[path]];
  if (below === undefined) return pages;
  return [...pages, ...HOSTILE_NAMES.map((name) => [path, ...below.map(() => name)])];
});

describe('the console: hostile names', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let admin: Service;
  let api: Api;
  let visit: Visit;

  before(async () => {
    const [ingest, running] = await Promise.all([startCounting(world), runConsole(world)]);
    admin = running;
    api = await openApi(admin.url);
    await aFeature(api, 'plain');
    const metrics = HOSTILE_NAMES.map((name) =>
      aFreshMetric({ featureName: name, appName: name, yes: 3, variants: { [name]: 2 } }),
    );
    const applications = HOSTILE_NAMES.map((appName) => ({
      appName,
      instanceId: appName,
      sdkVersion: appName,
      environment: 'production',
      strategies: [appName],
      started: new Date().toISOString(),
      interval: 10_000,
    }));
    const tooOld = HOSTILE_NAMES.map((name) =>
      aFreshMetric({ featureName: name, appName: name, timestamp: '2001-01-01T00:00:00.000Z' }),
    );
    const answer = await post(ingest, { body: bodyOf({ metrics: [...metrics, ...tooOld], applications }) });
    expect(answer.status).to.equal(202);
    await untilCounted(world);
    for (const name of HOSTILE_NAMES) await writeTexts(name);
    visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'strategies' });
  });
  after(() => visit.close());

  /** In whatever people may write in the console. */
  async function writeTexts(text: string): Promise<void> {
    await api.post('/api/admin/feedback', { category: text, positive: text, areasForImprovement: text });
    await api.put('/api/admin/projects/default/features/plain', { description: text, tags: [`tag:${text}`] });
    await api.post('/api/admin/projects', {
      id: `p${HOSTILE_NAMES.findIndex((name) => name === text)}`,
      name: text,
    });
    await api.post('/api/admin/projects/default/environments/production/change-requests', {
      title: text,
      changes: [{ feature: 'plain', action: 'updateEnabled', payload: { enabled: true } }],
    });
  }

  for (const parts of someByDay(PLACES, 1 / 3, nameIn))
    it(`turn nothing round, lead nowhere else and log nothing: ${JSON.stringify(parts).slice(0, 60)}`, async () => {
      // A browser says so itself of a name that nothing has.
      visit.allow(/status of 404/);
      const { page } = visit;
      await page.goto(`${admin.url}/${formatRoute({ parts, query: {} })}`);
      await loaded(page);
      expect(await page.locator('h1').innerText()).to.not.equal('There is no such page');
      expect(await page.evaluate<string[]>(FOUND_LOOSE)).to.deep.equal([]);
      expect(await page.locator('main img').count()).to.equal(0);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(1280);
      visit.expectQuiet();
    });

  it('leaves no link and no name without anything to see', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/applications`);
    await page.getByRole('link', { name: '[U+3000]' }).waitFor();
    await page.getByRole('link', { name: 'flag[U+200B]' }).click();
    await page.getByRole('heading', { name: 'flag[U+200B] runs in 1 instance' }).waitFor();
  });

  const missing = [
    [['features', 'plain', 'more'], 'There is no such page'],
    [['change-requests', 'default'], 'There is no such page'],
    [['projects', 'default'], 'There is no such page'],
    [['features', 'none'], 'none was not evaluated in all environments in 24 h'],
    [['applications', 'none'], 'none'],
    [['change-requests', 'default', '99999'], 'Change request 99999'],
    [['change-requests', 'none', '1'], 'Change request 1'],
  ] as const;
  for (const [place, title] of someByDay(missing, 1 / 3))
    it(`says of a link to what does not exist that it does not: ${place.join('/')}`, async () => {
      const { page } = visit;
      await page.goto(`${admin.url}/${formatRoute({ parts: place, query: {} })}`);
      await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
      await page
        .locator('main')
        .getByText(/(There is no|No application|not whole)/)
        .first()
        .waitFor();
    });

  for (const name of ['.', '..'])
    it(`shows what was evaluated with the name ${name}, and why no feature can have it`, async () => {
      const { page } = visit;
      await page.goto(`${admin.url}/${formatRoute({ parts: ['features', name], query: {} })}`);
      await page.getByText('No feature can have this name').waitFor();
      await page
        .getByRole('heading', { name: `${name} was on for 100 % in all environments in 24 h` })
        .waitFor();
      expect(await page.getByRole('button', { name: 'Archive' }).count()).to.equal(0);
    });
});

/** Undefined for a page that is about no name. */
function nameIn(parts: readonly string[]): string | undefined {
  return parts[1];
}

async function loaded(page: Page): Promise<void> {
  // The page of the new place is drawn in the next frame.
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  await page.locator('main h1').waitFor();
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}
