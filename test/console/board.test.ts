import type { Browser } from 'playwright-core';
import { refreshVerdicts } from '#clickhouse';
import { observeCleanUps } from '../../services/admin/clean-ups/store/observe.ts';
import { recordFindings } from '../../services/admin/verdicts/store/lives.ts';
import { aUser, openApi } from '../support/admin.ts';
import { createHistory, untilHistoryLasts } from '../support/builders/history.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../support/world.ts';
import { type Visit, openBrowser, visitAs } from './support/visit.ts';

describe('the console: the board of the clean-up', () => {
  let world: World;
  let url: string;
  let viewer: string;
  let browser: Browser;

  before(async () => {
    world = await createWorld();
    await world.db.query(
      `insert into features (name, project, owner) values ('old-banner', 'default', 'web')`,
    );
    await recordFindings(world.db, {
      ...{ subjectTypes: ['feature'], verdicts: ['always_on'], isComplete: true },
      found: [
        {
          ...{
            subjectType: 'feature',
            subject: 'old-banner',
            environment: 'production',
            verdict: 'always_on',
          },
          ...{ sentence: 'Each of its 2000 evaluations was enabled.', since: '2026-10-22T00:00:00.000Z' },
          evaluations: 2000,
        },
      ],
    });
    await observeCleanUps(world.db);
    await untilHistoryLasts();
    const history = createHistory();
    history.exists('old-banner');
    history.seen('old-banner', { first: 100 * 24, last: 1 });
    history.evaluated({ feature: 'old-banner', daysAgo: 2, yes: 2000 });
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
    ({ url } = await world.fork('admin'));
    viewer = (await aUser(await openApi(url), 'Viewer', 'vera')).token;
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await world.dispose();
  });

  const visiting = (token: string, act: (visit: Visit) => Promise<void>): Promise<void> =>
    visitAs(browser, { url, token, place: 'clean-up' }, act);
  const column = ({ page }: Visit, name: string) => page.getByRole('region', { name, exact: true });

  it('moves a flag by the keyboard alone, and back', async () => {
    await visiting(ADMIN_TOKEN, async (visit) => {
      const { page } = visit;
      await column(visit, 'Found').getByText('always on').waitFor();
      await visit.expectHarmless();
      await page.getByRole('button', { name: 'Move old-banner' }).focus();
      await page.keyboard.press('Enter');
      const to = page.getByRole('combobox', { name: 'To', exact: true });
      await to.focus();
      await page.keyboard.press('I');
      await page.keyboard.press('Tab');
      await page.keyboard.type('https://git.example.org/shop/pull/17');
      await visit.expectHarmlessAfterActs();
      await page.keyboard.press('Enter');
      const removal = column(visit, 'In removal');
      await removal.getByRole('link', { name: 'git.example.org/shop/pull/17' }).waitFor();
      await removal.getByText('moved by initial admin').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await column(visit, 'Found').getByRole('link', { name: 'old-banner on the board' }).waitFor();
    });
  });

  it('shows the debt over time, and by project and owner', async () => {
    await visiting(ADMIN_TOKEN, async (visit) => {
      const { page } = visit;
      await page.getByRole('figure', { name: 'Overdue flags' }).waitFor();
      const evaluations = page.getByRole('figure', { name: 'Evaluations that decide nothing' });
      await evaluations.getByRole('button', { name: 'As table' }).click();
      await evaluations.getByRole('cell', { name: '2,000' }).first().waitFor();
      await page.getByRole('table', { name: 'Debt by project and owner' }).getByText('of 1').waitFor();
      await visit.expectHarmlessAfterActs();
    });
  });

  it('offers no move to a Viewer', async () => {
    await visiting(viewer, async (visit) => {
      await column(visit, 'Found').getByText('always on').waitFor();
      await visit.page.getByRole('button', { name: 'Move old-banner' }).waitFor({ state: 'detached' });
    });
  });
});
