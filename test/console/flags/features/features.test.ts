import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { openApi } from '../../../support/admin-api/admin.ts';
import { itByTurns } from '../../../support/nightly.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting } from '../../../support/stories/counting.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { type Visit, openVisit } from '../../support/visit.ts';

const FEATURES = 10_000;

const itInTurn = itByTurns(3);

describe('the console: features', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let admin: Service;
  let visit: Visit;

  before(async () => {
    await world.db.query(
      `insert into features (name, project, type, created_at)
       select
         'flag-' || lpad(n::text, 5, '0'),
         'default',
         (array['release', 'experiment'])[1 + n % 2],
         now() - case when n between 10 and 14 then interval '40 days' else interval '1 day' end
       from generate_series(0, $1 - 1) as n`,
      [FEATURES],
    );
    const [ingest, running] = await Promise.all([startCounting(world), runConsole(world)]);
    admin = running;
    await post(ingest, {
      body: bodyOf({ metrics: [aFreshMetric({ featureName: 'flag-00001', yes: 300, no: 100 })] }),
    });
    await untilCounted(world);
    visit = await openVisit(admin.url, { token: ADMIN_TOKEN });
  });
  // The tests share a visit, because a new one would read ten thousand features again.
  afterEach(() => visit.expectHarmlessAfterActs());
  after(() => visit.close());

  const goto = (fragment: string) => visit.page.goto(`${admin.url}/#/features${fragment}`);
  const answers = (answer: string) => visit.page.getByRole('heading', { name: answer });
  const row = (name: string) =>
    visit.page.getByRole('row').filter({ has: visit.page.getByRole('link', { name }) });

  /** The star changes before the server has answered. */
  const storedFavourite = () =>
    visit.page.waitForResponse((response) => response.url().endsWith('/favorites'));

  itInTurn('show ten thousand with few rows and few requests', async () => {
    const { page } = visit;
    const usage: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/metrics/usage')) usage.push(request.url());
    });
    await goto('');
    await answers('10,000 features').waitFor();
    await page.keyboard.press('/');
    for (const key of 'FLAG-0123') await page.keyboard.press(key);
    await answers('10 features of 10,000').waitFor();
    expect(await page.locator('tbody tr').count()).to.equal(10);
    await page.getByLabel('Search features by name').fill('');
    await answers('10,000 features').waitFor();
    expect(await page.locator('tbody tr').count()).to.be.lessThan(200);

    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByRole('link', { name: 'flag-09999' }).waitFor();
    await page.getByRole('row', { name: 'flag-09999' }).getByText('0 in 24 h').waitFor();
    // Each carries many features: those of the first screen, of the search, and of the last screen.
    expect(usage.length).to.be.lessThan(20);
    expect(new Set(usage.flatMap((url) => new URL(url).searchParams.getAll('feature'))).size).to.be.lessThan(
      400,
    );
  });

  itInTurn('show where a feature is on, how much it is evaluated, and with which share', async () => {
    await goto('?q=flag-00001');
    const cells = row('flag-00001');
    await cells.getByText('400').waitFor();
    await cells.getByRole('img', { name: '400 evaluations' }).waitFor();
    await cells.getByText('75.0 %').waitFor();
  });

  itInTurn('keep search, filters and order in the URL', async () => {
    const { page } = visit;
    await goto('?type=experiment&q=flag-0000&sort=-name');
    await answers('5 features of 10,000').waitFor();
    expect(await page.locator('a[data-row]').allInnerTexts()).to.deep.equal([
      'flag-00009',
      'flag-00007',
      'flag-00005',
      'flag-00003',
      'flag-00001',
    ]);
    await page.getByRole('combobox', { name: 'Type' }).selectOption('release');
    await page.getByRole('link', { name: 'flag-00008' }).waitFor();
    expect(new URL(page.url()).hash).to.equal('#/features?type=release&q=flag-0000&sort=-name');
  });

  itInTurn('answer how many are not evaluated, and list them', async () => {
    const { page } = visit;
    await goto('');
    await answers('10,000 features, 5 not evaluated for 30 days').waitFor();
    await page.getByLabel('Last seen').selectOption('Not evaluated for 30 d');
    await answers('5 features of 10,000').waitFor();
    expect(new URL(page.url()).hash).to.equal('#/features?seen=not-30d');
    await row('flag-00012').getByText('never').waitFor();
  });

  itInTurn('keep favourites', async () => {
    const { page } = visit;
    await goto('?q=flag-00042');
    const star = page.getByRole('button', { name: 'Favourite: flag-00042' });
    const added = storedFavourite();
    await star.click();
    await added;
    await page.locator('[aria-pressed=true]', { hasText: '' }).and(star).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.press('ArrowDown');
    await page.reload();
    await goto('?only=favourites');
    await answers('1 feature of 10,000').waitFor();
    await page.keyboard.press('ArrowDown');
    const removed = storedFavourite();
    await page.keyboard.press('s');
    await removed;
    await page.getByText('No feature matches').waitFor();
    const api = await openApi(admin.url);
    const { body } = await api.get('/api/admin/search/features?favorite=true');
    expect(body).to.deep.equal({ items: [], nextCursor: null });
  });
});
