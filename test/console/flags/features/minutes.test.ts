import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { itByTurns } from '../../../support/nightly.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting } from '../../../support/stories/counting.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { type Visit, openVisit } from '../../support/visit.ts';

const itInTurn = itByTurns(2);

describe('the console: the minutes of a feature', () => {
  let world: World;
  let ingest: Service;
  let admin: Service;
  let visit: Visit;

  before(async () => {
    world = await createWorld();
    ingest = await startCounting(world);
    admin = await runConsole(world);
    const api = await openApi(admin.url);
    await aFeature(api, 'acting');
    await api.post('/api/admin/projects/default/features/acting/environments/production/on');
    visit = await openVisit(admin.url, { token: ADMIN_TOKEN });
  });
  after(async () => {
    await visit.expectHarmlessAfterActs();
    await visit.close();
    await world.dispose();
  });

  const evaluate = async (counts: { readonly yes: number; readonly no: number }): Promise<void> => {
    const metrics = [aFreshMetric({ featureName: 'acting', ...counts })];
    expect((await post(ingest, { body: bodyOf({ metrics }) })).status).to.equal(202);
  };

  it('show on the open page how a switch acts', async () => {
    const { page } = visit;
    await evaluate({ yes: 0, no: 30 });
    await page.goto(`${admin.url}/#/features/acting?window=1h`);
    const heading = (share: string) => page.getByRole('heading', { name: `acting was on for ${share}` });
    await heading('0 %').waitFor();
    await page.evaluate('globalThis.isSamePage = true');
    await evaluate({ yes: 10, no: 0 });
    await heading('25.0 %').waitFor();
    expect(await page.evaluate('globalThis.isSamePage')).to.equal(true);
    const section = page.locator('section', { hasText: 'Evaluations by the minute in which they arrived' });
    await section.getByRole('figure', { name: 'Evaluations' }).locator('canvas').first().waitFor();
  });

  itInTurn('are those of a day if somebody asks for them', async () => {
    const { page } = visit;
    await page.getByRole('button', { name: '24 h', exact: true }).click();
    await page.getByRole('heading', { name: 'Evaluations', exact: true }).waitFor();
    const byMinute = page.getByRole('button', { name: 'By minute' });
    await byMinute.click();
    await page.getByRole('heading', { name: 'Evaluations by the minute in which they arrived' }).waitFor();
    expect(await byMinute.getAttribute('aria-pressed')).to.equal('true');
    expect(page.url()).to.include('by=minute');
    await page.getByRole('button', { name: '7 d', exact: true }).click();
    await page.getByRole('heading', { name: 'Evaluations', exact: true }).waitFor();
    expect(await byMinute.count()).to.equal(0);
  });

  itInTurn(
    'are on Overview those of all features, with the changes, of a day, an hour and the day again',
    async () => {
      const { page } = visit;
      await page.goto(`${admin.url}/#/`);
      let section = page.locator('section');
      for (const [window, title] of [
        ['24 h', 'Last day'],
        ['1 h', 'Last hour'],
        ['24 h', 'Last day'],
      ] as const) {
        await page.getByRole('heading', { name: /accounted for/ }).waitFor();
        await page.getByRole('button', { name: window, exact: true }).click();
        section = page.locator('section', { hasText: `${title}: evaluations stored per minute` });
        await section.locator('canvas').first().waitFor();
        await section.getByRole('button', { name: /turned on acting in production/ }).waitFor();
        // A table of a day would take longer than all the rest of the page.
        expect(await section.locator('tr').count()).to.be.below(100);
      }
      // Other windows show their table from now on.
      await section.getByRole('button', { name: 'As table' }).click();
      await section.getByRole('region', { name: 'Evaluations stored per minute, as table' }).waitFor();
    },
  );
});
