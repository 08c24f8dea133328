import { expect } from 'chai';
import type { Locator, Page, Route } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Entry, ROUTES } from '../../../services/console/pages/app/entries.ts';
import { formatRoute } from '../../../services/console/state/app/route.ts';
import { type Api, aFeature, aUser, openApi } from '../../support/admin-api/admin.ts';
import { describeNightly } from '../../support/nightly.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, openSignedIn } from '../support/visit.ts';

const NAMES = { feature: 'cart', application: 'shop', project: 'default', request: '1' } as const;

/** The routes of the console, from its own list, and a page of each kind below them. */
const PLACES = ROUTES.flatMap(({ path, below }: Pick<Entry, 'path' | 'below'>) => [
  path === '' ? [] : [path],
  ...(below === undefined ? [] : [[path, ...below.map((kind) => NAMES[kind])]]),
]);

/** Some forms, so that none of them is left out in silence. */
const KNOWN = [
  'Edit this feature',
  'Guards of this feature',
  'Move to another project',
  'Add a strategy',
  'Change this strategy',
  'Turn on in production',
  'Edit this project',
  'New project',
  'New strategy',
  'Edit this strategy',
  'New subscription',
  'New API token',
  'Rotate this token',
  'New personal token',
  'Grant a role',
  'New user',
  'Give feedback',
  'Reject',
  'Move on the board',
];

const SUBJECTS = [
  "update change_requests set state = 'In review'",
  "insert into clean_ups (feature_name, stage, moved_by) values ('cart', 'removal', 'writer')",
  `insert into notification_subscriptions (name, channel, host, causes, created_by)
   values ('receiver', 'webhook', 'example.org', array['verdict-appeared'], 'writer')`,
];

/** Those of charts and titles open nothing. */
const BUTTONS = 'main button[type=button]:enabled:not(.chart *, thead *, .segments *)';

/** Whatever the page sends is answered so; it may read. */
const ANSWERS = {
  refused: { status: 503, json: { name: 'Unavailable', message: 'Not now.' } },
  ended: { status: 401, json: { name: 'AuthenticationRequired', message: 'Sign in.' } },
} as const;

describeNightly('the console: every form', () => {
  const world = sharedUncountedWorld({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });
  let admin: Service;
  let api: Api;
  let token: string;
  let visit: Visit;
  let answer: keyof typeof ANSWERS = 'refused';
  const titles = new Set<string>();
  /** The dialogs that axe-core has seen. */
  const seen = new Set<string>();

  before(async () => {
    admin = await runConsole(world);
    api = await openApi(admin.url);
    token = (await aUser(api, 'Admin', 'writer')).token;
    await makeSubjects();
  });
  // What a failed test has typed is not asked about in the next one.
  beforeEach(async () => {
    visit = await openSignedIn({ url: admin.url, token, place: 'strategies' });
    visit.allow(/status of (401|429|503)/);
    await visit.page.route(/\/api\/admin\//, (route: Route) =>
      route.request().method() === 'GET' ? route.fallback() : route.fulfill(ANSWERS[answer]),
    );
  });
  afterEach(() => visit.close());

  for (const parts of PLACES)
    it(`is accessible, and keeps what was typed after a refusal, the end of the session, Escape and Back: ${parts.join('/')}`, async () => {
      const { page } = visit;
      await open(page, parts);
      const labels = await page.locator(BUTTONS).allInnerTexts();
      const dialog = page.locator('dialog[open]');
      const form = dialog.locator('form.fields');
      for (const [at, label] of labels.entries()) {
        if (labels.indexOf(label) < at || !(await opensDialog(page, page.locator(BUTTONS).nth(at)))) continue;
        await expectAccessible(await dialog.locator('h2').last().innerText());
        if ((await form.count()) > 0) {
          titles.add(await dialog.locator('h2').last().innerText());
          await expectKept(page, form);
        }
        await open(page, parts);
      }
      visit.expectQuiet();
    });

  for (const key of ['?', 'Control+k'])
    it(`is accessible over a page: ${key}`, async () => {
      await visit.page.keyboard.press(key);
      await visit.page.getByRole('dialog').waitFor();
      await expectAccessible(key);
    });

  it('was one of these', () => {
    expect([...titles]).to.include.members(KNOWN);
    expect([...seen]).to.include.members(['A refusal', 'Sign in again', 'Discard what you typed?']);
  });

  /** Something of each kind that a form is about. */
  async function makeSubjects(): Promise<void> {
    const cart = '/api/admin/projects/default/features/cart';
    await aFeature(api, 'cart');
    await api.post(`${cart}/environments/production/strategies`, { name: 'default' });
    await api.post('/api/admin/projects', { id: 'shop', name: 'The shop' });
    await api.post('/api/admin/strategies', { name: 'by-country', parameters: [] });
    await api.post('/api/admin/api-tokens', { tokenName: 'edge', type: 'client', environment: 'production' });
    await api.post('/api/admin/projects/default/access', {
      user: 'writer',
      role: 'Editor',
      environments: [],
    });
    await api.post('/api/admin/projects/default/environments/production/change-requests', {
      title: 'Turn it on',
      changes: [{ feature: 'cart', action: 'updateEnabled', payload: { enabled: true } }],
    });
    for (const statement of SUBJECTS) await world.db.query(statement);
  }

  async function open(page: Page, parts: readonly string[]): Promise<void> {
    answer = 'refused';
    // Back leads to another place of the console.
    await page.goto(`${admin.url}/#/${parts[0] === 'users' ? 'archived' : 'users'}`);
    await page.goto(`${admin.url}/${formatRoute({ parts, query: {} })}`);
    await page.locator('main h1').waitFor();
    await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
  }

  /** Each dialog once, because axe-core takes a second. */
  async function expectAccessible(title: string): Promise<void> {
    if (seen.has(title)) return;
    seen.add(title);
    for (const colorScheme of ['dark', 'light'] as const) {
      await visit.page.emulateMedia({ colorScheme });
      await visit.expectHarmless();
    }
  }

  async function expectKept(page: Page, form: Locator): Promise<void> {
    await type(form);
    const typed = await valuesOf(page);
    if (typed.length === 0) return; // It only asks.
    await form.getByRole('button').last().click();
    await form.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor();
    await expectAccessible('A refusal');
    expect(await valuesOf(page)).to.deep.equal(typed);

    answer = 'ended';
    await form.getByRole('button').last().click();
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.waitFor();
    await expectAccessible('Sign in again');
    await again.getByLabel('ADMIN token or personal token').fill(token);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await again.waitFor({ state: 'detached' });
    expect(await valuesOf(page)).to.deep.equal(typed);

    const question = page.getByRole('dialog', { name: 'Discard what you typed?' });
    for (const leave of [() => page.keyboard.press('Escape'), () => page.evaluate('history.back()')]) {
      await leave();
      await question.waitFor();
      await expectAccessible('Discard what you typed?');
      await question.getByRole('button', { name: 'Keep typing' }).click();
      await question.waitFor({ state: 'hidden' });
      expect(await valuesOf(page)).to.deep.equal(typed);
    }
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
  }
});

/** Presses a button, and says whether that opens a dialog. */
async function opensDialog(page: Page, button: Locator): Promise<boolean> {
  const dialog = page.locator('dialog[open]');
  await button.click();
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  await dialog.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  return (await dialog.count()) > 0;
}

/** What a control takes, by its type. */
const TEXTS: Readonly<Record<string, string>> = {
  date: '2099-01-01',
  'datetime-local': '2099-01-01T12:00',
  email: 'typed@example.org',
  number: '3',
  url: 'https://example.org/typed',
};

async function type(form: Locator): Promise<void> {
  // Fields that appear only with these are forms, too.
  for (const more of await form.getByRole('button', { name: /^Add a/ }).all()) await more.click();
  for (const control of await form.locator('input, textarea').all()) {
    const kind = (await control.getAttribute('type')) ?? '';
    if (kind === 'checkbox') {
      if (await control.isEnabled()) await control.click();
      continue;
    }
    // The name that somebody must type.
    const name = control.locator('xpath=ancestor::label//bdi');
    await control.fill((await name.count()) > 0 ? await name.innerText() : (TEXTS[kind] ?? 'typed'));
  }
  for (const control of await form.locator('select').all()) {
    const last = await control.locator('option').last().getAttribute('value');
    if (last !== null) await control.selectOption(last);
  }
  for (const weight of await form.getByLabel('Weight in percent').all()) await weight.fill('100');
  for (const value of await form.getByLabel('Value of the payload').all()) await value.fill('3');
}

/** An expression, because tests have no types of the document of a page. */
const VALUES = `[...document.querySelectorAll('dialog[open] form.fields :is(input, textarea, select)')].map((control) =>
  control.type === 'checkbox' ? control.checked
    : control.multiple ? [...control.selectedOptions].map(({ value }) => value) : control.value)`;

function valuesOf(page: Page): Promise<unknown[]> {
  return page.evaluate<unknown[]>(VALUES);
}
