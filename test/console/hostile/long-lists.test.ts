import { expect } from 'chai';
import type { CDPSession } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Entry, ROUTES } from '../../../services/console/pages/app/entries.ts';
import { formatRoute } from '../../../services/console/state/app/route.ts';
import { type Api, openApi, operationsOf } from '../../support/admin-api/admin.ts';
import { describeNightly } from '../../support/nightly.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, openSignedIn } from '../support/visit.ts';
import { expectHonest } from './honest.ts';
import { type Lists, watchLists } from './lists.ts';
import { NAMES, PARAMETERS, fillLists } from './long-lists.ts';
import { expectTimes, zonesAt } from './zones.ts';

type Route = Pick<Entry, 'path' | 'below'>;

/** The routes of the console, from its own list; and of features one that does not exist, and one that is archived. */
const PLACES = [
  ...ROUTES.flatMap(({ path, below }: Route) => [
    path === '' ? [] : [path],
    ...(below === undefined ? [] : [[path, ...below.map((kind) => NAMES[kind])]]),
  ]),
  ['features', 'stray-1'],
  ['features', 'gone-1'],
];

/** People make each of these by hand. */
const SHORT: readonly string[] = ['listEnvironments 200', 'listFeatureStrategies 200'];
/** Only people have tokens and sessions of their own. The lists of others are the same. */
const OWN = '/api/admin/user/';

describeNightly('the console: long lists', () => {
  const world = sharedWorld({
    KAFKA_COUNTS_PARTITIONS: '1',
    SECRETS_KEY: Buffer.alloc(32).toString('base64'),
  });
  let admin: Service;
  let api: Api;
  let visit: Visit;
  let lists: Lists;
  let debuggers: CDPSession;

  before(async () => {
    await fillLists(world);
    admin = await runConsole(world);
    api = await openApi(admin.url);
    visit = await openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'strategies' });
    lists = watchLists(visit.page);
    debuggers = await visit.page.context().newCDPSession(visit.page);
  });
  after(async () => {
    await debuggers.send('Emulation.setTimezoneOverride', { timezoneId: '' });
    await debuggers.detach();
    lists.end();
    await visit.close();
  });

  it('are those of every operation that lists something', async () => {
    const found = operationsOf(api).filter(
      ({ method, operationId, template }) =>
        method === 'get' && /^(list|search)/.test(operationId) && !template.startsWith(OWN),
    );
    expect(found).to.have.length.above(25);
    const short = [];
    for (const { operationId, template } of found) {
      const { status, body } = await api.get(pathOf(template));
      if (status !== 200 || Math.max(0, ...lengthsIn(body)) < 100) short.push(`${operationId} ${status}`);
    }
    expect(short).to.have.members(SHORT);
  });

  for (const [place, note] of [
    ['feedback', 'The first 200 of 10,000 answers, the newest ones.'],
    ['features/flag-1', /The first 20 of 5,0\d\d events, the newest ones\./],
    ['applications', 'The first 1,000 of 10,000 covered shares, those with most time without counts.'],
    ['refused?q=flag', 'Too old: at least 1,000,000 in 30 days'],
    ['clean-up', 'The first 1,000 of 10,000 acknowledged verdicts, the newest ones.'],
  ] as const)
    it(`say how many items they do not show: ${place}`, async () => {
      await visit.page.goto(`${admin.url}/#/${place}`);
      await visit.page.getByText(note).waitFor();
    });

  it('leave the page of an application what they do not show of it', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/applications/${NAMES.application}`);
    await page.getByText(/^Counts of \d\d\.\d % of the time of 1 instance arrived/).waitFor();
  });

  it('say in a dialog how many items it does not show', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/notifications`);
    await page.getByRole('button', { name: 'Messages of subscription-1', exact: true }).click();
    await page.getByText('The first 50 of 10,000 messages, the newest ones.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('begin with their first page when they are searched', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/archived`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'First' }).waitFor();
    await page.getByLabel('Search archived flags').fill(' gone-1000 ');
    await page.getByRole('link', { name: 'gone-1000', exact: true }).waitFor();
    await page.getByText('1 filter on').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('heading', { name: '100 archived flags on this page' }).waitFor();
  });

  it('are shown whole by the palette only if they are short', async () => {
    const { page } = visit;
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('team 7 flag');
    await page.getByRole('option', { name: 'All flags with team 7 flag' }).click();
    await page.getByLabel('Search features by name').waitFor();
    expect(new URL(page.url()).hash).to.equal('#/features?q=team+7+flag');
  });

  for (const [index, parts] of PLACES.entries())
    it(`fit their page, which says what it leaves out, in two times: ${parts.join('/')}`, async () => {
      const { page } = visit;
      // Browsers say so themselves of a name that nothing has.
      visit.allow(/status of 404/);
      lists.forget();
      await page.goto(`${admin.url}/${formatRoute({ parts, query: {} })}`);
      await lists.settled();
      await expectHonest(page, await lists.cut());
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(1280);
      expect(await page.locator('main .trouble').allInnerTexts()).to.deep.equal([]);
      await visit.expectHarmless();
      for (const zone of zonesAt(index)) {
        await debuggers.send('Emulation.setTimezoneOverride', { timezoneId: zone });
        await page.getByTitle('Time zone of all times').click();
        await lists.settled();
        await expectTimes(page, zone);
        await page.getByTitle('Time zone of all times').click();
        await lists.settled();
        await expectTimes(page, 'UTC');
        visit.expectQuiet();
      }
    });
});

/** An operation on what the lists begin with. */
function pathOf(template: string): string {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => PARAMETERS[name] ?? name);
  return path;
}

/** The lengths of the lists in an answer. */
function lengthsIn(body: unknown): number[] {
  if (Array.isArray(body)) return [body.length];
  return Object.values(body as object).flatMap((member: unknown) =>
    Array.isArray(member) ? member.length : [],
  );
}
