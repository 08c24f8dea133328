import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { observeCleanUps } from '../../../services/admin/advice/clean-ups/store/observe.ts';
import { recordFindings } from '../../../services/admin/advice/verdicts/store/record-findings.ts';
import { type Api, aUser, openApi } from '../../support/admin-api/admin.ts';
import { createHistory, untilHistoryLasts } from '../../support/builders/history.ts';
import { eventually } from '../../support/eventually.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
} from '../../support/servers/receivers/notified-world.ts';
import { ADMIN_TOKEN, createWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, visitAs } from '../support/visit.ts';

const itInTurn = itByTurns(2);

describe('the console: a verdict, its board, and who is told', () => {
  let world: NotifiedWorld;
  let url: string;
  let api: Api;

  before(async () => {
    world = await createNotifiedWorld(createWorld);
    await world.db.query(
      `insert into features (name, project, owner) values ('old-banner', 'default', 'web')`,
    );
    await recordFindings(world.db, {
      subjectTypes: ['feature'],
      verdicts: ['always_on'],
      isComplete: true,
      found: [
        {
          subjectType: 'feature',
          subject: 'old-banner',
          environment: 'production',
          verdict: 'always_on',
          sentence: 'Each of its 2000 evaluations was enabled.',
          since: '2026-10-22T00:00:00.000Z',
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
    ({ url } = await runConsole(world));
    api = await openApi(url);
  });

  const visiting = (token: string, place: string, act: (visit: Visit) => Promise<void>): Promise<void> =>
    visitAs({ url, token, place }, act);
  const column = ({ page }: Visit, name: string) => page.getByRole('region', { name, exact: true });

  const listed = ({ page }: Visit) => page.locator('.candidates');

  itInTurn('board: moves a flag by the keyboard alone, and back', async () => {
    await visiting(ADMIN_TOKEN, 'clean-up', async (visit) => {
      const { page } = visit;
      await listed(visit).getByText('always on').waitFor();
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
      // Each flag is in one place.
      await page.getByRole('heading', { name: '1 is being removed' }).waitFor();
      expect(await listed(visit).count()).to.equal(0);
      await page.getByRole('button', { name: 'Undo' }).click();
      await listed(visit).getByRole('link', { name: 'old-banner' }).waitFor();
      await removal.waitFor({ state: 'detached' });
    });
  });

  itInTurn('board: shows the debt over time, and by project and owner', async () => {
    await visiting(ADMIN_TOKEN, 'clean-up', async (visit) => {
      const { page } = visit;
      await page.getByRole('figure', { name: 'Overdue flags' }).waitFor();
      const evaluations = page.getByRole('figure', { name: 'Evaluations that decide nothing' });
      await evaluations.getByRole('button', { name: 'As table' }).click();
      await evaluations.getByRole('cell', { name: '2,000' }).first().waitFor();
      await page.getByRole('table', { name: 'Debt by project and owner' }).getByText('of 1').waitFor();
      await visit.expectHarmlessAfterActs();
    });
  });

  itNightly('board: offers no move to a Viewer', async () => {
    const { token: viewer } = await aUser(api, 'Viewer', 'vera');
    await visiting(viewer, 'clean-up', async (visit) => {
      await listed(visit).getByText('always on').waitFor();
      await visit.page.getByRole('button', { name: 'Move old-banner' }).waitFor({ state: 'detached' });
    });
  });

  itInTurn('subscribes a receiver, shows its secret once, tries it and deletes it', async () => {
    const receiver = await world.startReceiver();
    await visiting(ADMIN_TOKEN, 'notifications', async (visit) => {
      const { page } = visit;
      await page.getByText('Nobody is told of verdicts and events.').waitFor();
      await visit.expectHarmless();
      await page.getByRole('button', { name: 'New subscription' }).click();
      await page.getByLabel('Name', { exact: true }).fill('clean-up');
      await page.getByLabel('Address, which begins with https://').fill(receiver.url);
      await page.getByLabel('a change request waits for approval').check();
      await visit.expectHarmlessAfterActs();
      await page.getByRole('button', { name: 'Subscribe' }).click();
      const field = page.getByLabel('Secret. It is never shown again.');
      await field.waitFor();
      const secret = await field.inputValue();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await field.waitFor({ state: 'detached' });
      expect(await page.content()).to.not.include(secret);

      await page.getByRole('button', { name: 'Test clean-up' }).click();
      // A message about a verdict of this world may arrive before it.
      await eventually(
        () => Promise.resolve(receiver.received.map((message) => opened(message, { id: 0, secret }).type)),
        (types) => types.includes('test'),
      );
      await page.getByRole('button', { name: 'Messages of clean-up' }).click();
      const tried = page.getByRole('listitem').filter({ hasText: 'has tried it' });
      await tried.getByText('has arrived').waitFor();
      await visit.expectHarmlessAfterActs();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('heading', { name: '1 subscription, and all messages arrive' }).waitFor();

      await page.getByRole('button', { name: 'Delete clean-up' }).click();
      await page.getByLabel('This cannot be undone.').fill('clean-up');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('clean-up is deleted.').waitFor();
    });
  });

  itInTurn('can be acknowledged with a reason, and shown again', async () => {
    await eventually(
      async () => (await api.get('/api/admin/verdicts?verdict=always_on')).body as { verdicts: object[] },
      ({ verdicts }) => verdicts.length === 1,
    );
    await visiting(ADMIN_TOKEN, 'clean-up', async (visit) => {
      const { page } = visit;
      await page.getByRole('button', { name: 'Acknowledge always on of old-banner' }).click();
      await page.getByLabel('Reason, for others').fill('The campaign needs it.');
      await visit.expectHarmlessAfterActs();
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
      await page.getByRole('heading', { name: 'Acknowledged' }).waitFor();
      await page.getByText('The campaign needs it.').waitFor();
      await page.getByText('Every flag is used and still decides something.').waitFor();
      await visit.expectHarmlessAfterActs();
      await page.getByRole('button', { name: 'Tell again: always on of old-banner' }).click();
      await page.getByRole('button', { name: 'Acknowledge always on of old-banner' }).waitFor();
    });
  });
});
