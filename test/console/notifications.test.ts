import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { refreshVerdicts } from '#clickhouse';
import { type Api, openApi } from '../support/admin.ts';
import { createHistory, untilHistoryLasts } from '../support/builders/history.ts';
import { eventually } from '../support/eventually.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  untilReceived,
} from '../support/receivers/notified-world.ts';
import { ADMIN_TOKEN, createWorld } from '../support/world.ts';
import { type Visit, openBrowser, visitAs } from './support/visit.ts';

describe('the console: notifications', () => {
  let world: NotifiedWorld;
  let url: string;
  let api: Api;
  let browser: Browser;

  before(async () => {
    world = await createNotifiedWorld(createWorld);
    await untilHistoryLasts();
    const history = createHistory();
    history.exists('old-banner');
    history.seen('old-banner', { first: 100 * 24, last: 1 });
    history.evaluated({ feature: 'old-banner', daysAgo: 2, yes: 2000 });
    await history.write(world);
    await world.db.query(`insert into features (name, project) values ('old-banner', 'default')`);
    await refreshVerdicts(world.clickhouse);
    ({ url } = await world.fork('admin'));
    api = await openApi(url);
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await world.dispose();
  });

  const visiting = (place: string, act: (visit: Visit) => Promise<void>): Promise<void> =>
    visitAs(browser, { url, token: ADMIN_TOKEN, place }, act);

  it('subscribe a receiver, show its secret once, try it and delete it', async () => {
    const receiver = await world.startReceiver();
    await visiting('notifications', async (visit) => {
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
      const [message] = await untilReceived(receiver, 1);
      if (message === undefined) throw new Error('nothing arrived');
      expect(opened(message, { id: 0, secret }).type).to.equal('test');
      await page.getByRole('button', { name: 'Messages of clean-up' }).click();
      await page.getByRole('dialog').getByText('has arrived').waitFor();
      await visit.expectHarmlessAfterActs();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('heading', { name: '1 subscription, and all messages arrive' }).waitFor();

      await page.getByRole('button', { name: 'Delete clean-up' }).click();
      await page.getByLabel('This cannot be undone.').fill('clean-up');
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('clean-up is deleted.').waitFor();
    });
  });

  it('acknowledge a verdict with a reason, and tell of it again', async () => {
    await eventually(
      async () => (await api.get('/api/admin/verdicts?verdict=always_on')).body as { verdicts: object[] },
      ({ verdicts }) => verdicts.length === 1,
    );
    await visiting('clean-up', async (visit) => {
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
