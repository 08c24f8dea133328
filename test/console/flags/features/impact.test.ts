import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { aCounter, aHistogram, aMetric } from '../../../support/builders/builders.ts';
import { hoursAgo, storeHours } from '../../../support/senders/impact.ts';
import { itByTurns, itNightly } from '../../../support/nightly.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import type { Look } from '../../support/tabs.ts';
import { type Visit, openSignedIn } from '../../support/visit.ts';

const NASTY = '<img src=x onerror=alert(1)>';
const APP = 'shop';
const labelsOf = (arm: string) => ({ basket: arm, appName: APP, environment: 'production' });

const itInTurn = itByTurns(2);

describe('the console: impact metrics', () => {
  const world = sharedWorld();
  let admin: Service;

  before(async () => {
    admin = await runConsole(world);
    const api = await openApi(admin.url);
    await aFeature(api, 'basket');
    await aFeature(api, 'lonely');
    await api.post('/api/admin/projects/default/features/basket/environments/production/on');
  });

  function open(place: string, look: Partial<Look> = {}): Promise<Visit> {
    return openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place }, look);
  }

  async function storeSamples(): Promise<void> {
    const failures = (enabled: number, disabled: number) =>
      aCounter({
        name: 'errors',
        help: NASTY,
        samples: [
          { value: enabled, labels: labelsOf('enabled') },
          { value: disabled, labels: labelsOf('disabled') },
        ],
      });
    const buckets = [
      { le: 0.1, count: 2 },
      { le: '+Inf', count: 4 },
    ];
    const seconds = aHistogram({ samples: [{ count: 4, sum: 2, buckets, labels: labelsOf('enabled') }] });
    const metrics = [aMetric({ featureName: 'basket', appName: APP, yes: 1000, no: 1000 })];
    await storeHours(
      world,
      [5, 4, 3].map((hours) => [hoursAgo(hours), { metrics, impactMetrics: [failures(40, 20), seconds] }]),
    );
  }

  const sayHowToBegin = async (place: string): Promise<void> => {
    const visit = await open(place);
    await visit.page.getByText("incrementCounter('purchases', 1").waitFor();
    await visit.expectHarmless();
    await visit.close();
  };

  itInTurn('say how an SDK sends the first one', () => sayHowToBegin('impact-metrics'));
  itNightly('say so on the page of a feature', () => sayHowToBegin('features/lonely'));

  describe('with samples', () => {
    before(storeSamples);

    itInTurn(
      'compare the arms of a feature with its changes, have quantiles, and keep the choice in the URL',
      async () => {
        const visit = await openArms({ theme: 'light', width: 1280 });
        const { page } = visit;
        await page.getByLabel('Impact metric').selectOption({ label: 'response_seconds' });
        const arms = page.getByRole('table', { name: 'Arms of response_seconds' });
        await arms.getByRole('columnheader', { name: 'p95' }).waitFor();
        expect(page.url()).to.include('impact=response_seconds');
        await page.reload();
        await arms.waitFor();
        await visit.expectHarmlessAfterActs();
        await visit.close();
      },
    );

    itNightly('compare the arms in the dark, in a narrow window', async () => {
      const visit = await openArms({ theme: 'dark', width: 390 });
      await visit.close();
    });

    async function openArms(look: Look): Promise<Visit> {
      const visit = await open('features/basket', look);
      const { page } = visit;
      await page.getByText('For each evaluation, enabled has 100 % more errors than disabled').waitFor();
      const chart = page.getByRole('figure', { name: 'errors per 1,000 evaluations' });
      expect(await chart.getByRole('group', { name: 'Series' }).innerText()).to.match(
        /disabled\s+20\s+enabled\s+40/,
      );
      expect(await chart.locator('button.mark').count()).to.be.above(0);
      const rows = page.getByRole('table', { name: 'Arms of errors' }).locator('tbody tr');
      expect(await rows.nth(1).innerText()).to.match(
        /enabled.*3,000.*120.*40.*2\.00.*1\.47 – 2\.73.*< 0\.001/s,
      );
      await page.getByText('Evaluations, not people').waitFor();
      await visit.expectHarmless();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(look.width);
      return visit;
    }

    itNightly('say that nothing was measured in another window', async () => {
      const visit = await open('features/basket?from=2026-01-01T00:00Z&to=2026-01-02T00:00Z');
      await visit.page.getByText('No counter or histogram named this flag in this time').waitFor();
      await visit.expectHarmless();
      await visit.close();
    });

    itInTurn('are listed in the dark with their senders, flags, series and values', () =>
      expectList({ theme: 'dark', width: 1280 }),
    );
    itNightly('are listed in a narrow window', () => expectList({ theme: 'light', width: 390 }));

    async function expectList(look: Look): Promise<void> {
      const visit = await open('impact-metrics', look);
      const { page } = visit;
      await page.getByRole('heading', { name: '1 application sends 2 impact metrics with 1 flag' }).waitFor();
      const rows = page.locator('tbody tr');
      expect(await rows.first().innerText()).to.match(/errors.*counter.*basket.*180/s);
      await page.getByLabel('Search impact metrics').fill('seconds');
      await page.getByText('mean 0.5').waitFor();
      expect(await rows.count()).to.equal(1);
      await visit.expectHarmless();
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(look.width);
      await page.getByRole('link', { name: 'basket', exact: true }).click();
      await page.getByRole('heading', { name: 'basket was on for' }).waitFor();
      visit.expectQuiet();
      await visit.close();
    }
  });
});
