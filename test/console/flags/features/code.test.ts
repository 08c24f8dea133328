import { expect } from 'chai';
import { type Api, aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { type Visit, openVisit } from '../../support/visit.ts';

const COMMIT = '6f1c3f2e4f0c4b8e9a530d8f7f1f2a1165e2d0c4';

describe('the console: where the code names a feature', () => {
  const world = sharedUncountedWorld();
  let url: string;
  let api: Api;
  let visit: Visit;

  before(async () => {
    ({ url } = await runConsole(world));
    api = await openApi(url);
    await aFeature(api, 'basket');
    await aFeature(api, 'lonely');
  });
  beforeEach(async () => {
    visit = await openVisit(url, { token: ADMIN_TOKEN });
  });
  afterEach(() => visit.close());

  const openCode = async (feature: string) => {
    await visit.page.goto(`${url}/#/features/${feature}`);
    return visit.page.locator('section', {
      has: visit.page.getByRole('heading', { name: 'Code', exact: true }),
    });
  };

  it('shows that nobody scanned, then what a scan token of the console pushed', async () => {
    const { page } = visit;
    // The other sections read ClickHouse, which may answer a quick change of pages too slowly.
    visit.allow(/status of 429/);
    const empty = await openCode('basket');
    await empty.getByText('No scan was pushed yet.').waitFor();
    await visit.expectHarmlessAfterActs();

    const scan = await createScanToken(visit);
    await push(scan, {
      repository: 'github.com/acme/shop',
      linkTemplate: 'https://git.example.org/shop/blob/{commit}/{path}#L{line}',
      references: [
        { featureName: 'basket', path: 'a first/note.md', line: 1, kind: 'mention' },
        ...[1, 2, 3, 4, 5, 6].map((line) => ({ featureName: 'basket', path: 'b.ts', line, kind: 'call' })),
      ],
    });
    await push(scan, {
      repository: 'pay',
      references: [{ featureName: 'basket', path: 'pay.go', line: 7, kind: 'call' }],
    });

    const code = await openCode('basket');
    await code.getByText('8 places in 2 repositories').waitFor();
    await code.getByText('pay.go:7').waitFor();
    const links = code.getByRole('link');
    // A closed disclosure hides the others, and the repository without a template has no links.
    expect(await links.allInnerTexts()).to.deep.equal(['b.ts:1', 'b.ts:2', 'b.ts:3', 'b.ts:4', 'b.ts:5']);
    await code.getByText('2 other places').click();
    await links.nth(6).waitFor();
    await visit.expectHarmlessAfterActs();
    expect(await links.nth(5).innerText()).to.equal('b.ts:6');
    const mention = code.getByRole('link', { name: 'a first/note.md:1' });
    expect(await mention.getAttribute('href')).to.equal(
      `https://git.example.org/shop/blob/${COMMIT}/a%20first/note.md#L1`,
    );
    expect(await mention.getAttribute('rel')).to.equal('noopener noreferrer');
    await code
      .getByText(/^pushed \d+ (s|min) ago$/)
      .first()
      .waitFor();

    const lonely = await openCode('lonely');
    await lonely.getByText('The 2 scanned repositories do not name it.').waitFor();
    await page.getByRole('heading', { name: /^lonely/ }).waitFor();
    visit.expectQuiet();
  });

  /** By the dialog of the page Tokens. */
  async function createScanToken({ page }: Visit): Promise<string> {
    await page.goto(`${url}/#/tokens`);
    await page.getByRole('button', { name: 'New API token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('ci');
    await page.getByRole('combobox', { name: 'Type' }).selectOption('scan');
    await page.getByRole('button', { name: 'Create' }).click();
    const secret = await page.getByLabel('Secret. It is never shown again.').inputValue();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    return secret;
  }

  async function push(token: string, scan: object): Promise<void> {
    const { status } = await api.post(
      '/api/admin/code-references',
      { branch: 'main', commit: COMMIT, committedAt: '2026-11-26T10:12:00Z', ...scan },
      { token },
    );
    expect(status).to.equal(200);
  }
});
