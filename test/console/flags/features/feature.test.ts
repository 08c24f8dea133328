import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Api, aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { type OwnClickHouse, ownClickHouse } from '../../../support/stack/engines/own-engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { isNight, itByTurns, itNightly } from '../../../support/nightly.ts';
import { type UsageBody, countAll, hourly } from '../../../support/admin-api/usage.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { type Visit, openVisit } from '../../support/visit.ts';

const HOUR_MS = 3_600_000;
/** The page reads every 30 s, and waits up to 12 s for an answer. */
const LONGEST_MS = 60_000;
const HOURS = 72;
/** A whole hour that has ended, so that no chart of it still fills, whenever the test runs. */
const END = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
/** The last day of the counts, which has a day before it. */
const DAY = { from: isoOf(END - 24 * HOUR_MS), to: isoOf(END) };
const VARIANTS = ['blue', 'red'].map((name) => ({
  name,
  weight: 500,
  weightType: 'variable',
  stickiness: 'default',
}));

const itInTurn = itByTurns(3);

describe('the console: a feature', () => {
  /** By night, because only a test of the night freezes it. */
  let clickhouse: OwnClickHouse | undefined;
  let world: World;
  let admin: Service;
  let api: Api;
  let visit: Visit;

  before(async () => {
    if (isNight()) clickhouse = await ownClickHouse();
    world = await createWorld(clickhouse?.access);
    admin = await runConsole(world);
    api = await openApi(admin.url);
    await anExperiment('even', [2, 2]);
    await anExperiment('uneven', [3, 1]);
  });
  beforeEach(async () => {
    visit = await openVisit(admin.url, { token: ADMIN_TOKEN });
  });
  afterEach(async () => {
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });
  after(async () => {
    await world.dispose();
    await clickhouse?.dispose();
  });

  /** Three yes and one no in each hour, and the events that gave it variants in production. */
  async function anExperiment(name: string, variant_counts: readonly number[]): Promise<void> {
    await aFeature(api, name);
    const production = `/api/admin/projects/default/features/${name}/environments/production`;
    await api.post(`${production}/strategies`, { name: 'flexibleRollout', variants: VARIANTS });
    await api.post(`${production}/on`);
    const columns = { feature_name: name, yes: 3, no: 1, variants: ['blue', 'red'], variant_counts };
    await countAll(world.clickhouse, hourly(isoOf(END - HOURS * HOUR_MS), DAY.to, columns));
  }

  const open = async (name: string, query: Readonly<Record<string, string>>): Promise<Page> => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/features/${name}?${new URLSearchParams(query).toString()}`);
    await page.getByRole('heading', { name: `${name} was on for 75.0 % in production` }).waitFor();
    return page;
  };

  itInTurn('is guarded by an impact metric', async () => {
    const page = await open('even', DAY);
    await page.getByRole('button', { name: 'Guards' }).click();
    await page.getByRole('button', { name: 'Add a guard' }).click();
    await page.getByLabel('Impact metric').fill('purchases');
    await page.getByLabel('Worse is').selectOption('less of it');
    await page.getByLabel('Accepted change in %').fill('2.5');
    const where = page.getByRole('group', { name: 'Turn the feature off where it is harmful, in' });
    await where.getByLabel('production').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('guarded by').waitFor();
    const { body } = await api.get('/api/admin/projects/default/features/even');
    expect(body).to.have.deep.property('guards', [
      { metric: 'purchases', direction: 'down', threshold: 0.025, above: null, turnOff: ['production'] },
    ]);
  });

  const chartOf = (page: Page) => page.getByRole('figure', { name: 'Evaluations' });

  itInTurn('draws its evaluations, and has the same numbers by pointer, as a table and as CSV', async () => {
    await visit.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await open('even', DAY);
    const chart = chartOf(page);
    await chart.locator('canvas').waitFor();
    expect(await page.evaluate<number>(PAINTED)).to.be.greaterThan(1000);
    await chart.locator('.u-over').hover();
    const tooltip = chart.locator('.tooltip dl > div');
    await tooltip.first().waitFor();
    expect((await tooltip.allInnerTexts()).map((line) => line.replaceAll(/\s+/g, ' ').trim())).to.deep.equal([
      'yes 3 75.0 %',
      'no 1 25.0 %',
      'window before 4',
    ]);

    const expected = await readNumbers();
    await chart.getByRole('button', { name: 'As table' }).click();
    const lines = await chart.locator('tbody tr').allInnerTexts();
    const rows = lines.map((line) => line.split('\t'));
    expect(rows.map(([, ...numbers]) => numbers.map(Number)).reverse()).to.deep.equal(
      expected.map(([, ...numbers]) => numbers),
    );
    await chart.getByRole('button', { name: 'Copy as CSV' }).click();
    await chart.getByText('copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).to.equal(
      [['start', 'yes', 'no', 'total', 'window before'], ...expected]
        .map((row) => `${row.join(',')}\r\n`)
        .join(''),
    );
  });

  /** What the API says of that day and of the day before, hour by hour. */
  async function readNumbers(): Promise<(string | number)[][]> {
    const query = { feature: 'even', environment: 'production', interval: 'hour', ...DAY };
    const { body } = await api.get(`/api/admin/metrics/usage?${new URLSearchParams(query).toString()}`);
    const { starts, series } = body as UsageBody;
    const [{ yes = [], no = [] } = { yes: [], no: [] }] = series;
    return starts.map((start, hour) => {
      const [on, off] = [yes[hour] ?? NaN, no[hour] ?? NaN];
      // Each hour of the counts is the same.
      return [start, on, off, on + off, on + off];
    });
  }

  itInTurn(
    'switches series off, shows by keyboard who changed it, and has other windows in the URL',
    async () => {
      const page = await open('even', DAY);
      const chart = chartOf(page);
      const series = chart.getByRole('group', { name: 'Series' });
      await series.getByRole('button', { name: 'yes 72 75.0 %' }).click();
      await series.getByRole('button', { name: 'yes', pressed: false }).waitFor();
      await series.getByRole('button', { name: 'window before 96' }).waitFor();

      await page.getByRole('button', { name: '7 d' }).click();
      await series.getByRole('button', { name: `yes ${3 * HOURS} 75.0 %` }).waitFor();
      // The days before the first count are unknown, which is not the same as none.
      expect(await series.getByRole('button').count()).to.equal(2);
      expect(new URL(page.url()).hash).to.equal('#/features/even?window=7d');

      await chart.locator('button.mark').first().waitFor();
      await chart.getByRole('button', { name: 'As table' }).focus();
      await page.keyboard.press('Tab');
      const tooltip = chart.locator('.tooltip');
      await tooltip.getByText('added a strategy to even in production').waitFor();
      await page.keyboard.press('Tab');
      await tooltip.waitFor({ state: 'detached' });

      await page.getByText('From – to').click();
      await page.getByLabel('From').fill(isoOf(END - 4 * HOUR_MS).slice(0, 16));
      await page.getByLabel('To', { exact: true }).fill(DAY.to.slice(0, 16));
      await page.getByRole('button', { name: 'Show' }).click();
      await series.getByRole('button', { name: 'yes 12 75.0 %' }).waitFor();
      expect(new URL(page.url()).hash).to.match(/\bfrom=.+&to=.+/);
    },
  );

  itInTurn('compares the variants with their weights, which they differ from', () =>
    expectVariants('uneven', {
      note: 'differs: p < 0.001',
      rows: ['blue\t72\t75.0 %\t50.0 %', 'red\t24\t25.0 %\t50.0 %'],
    }),
  );

  itNightly('compares the variants with their weights, which they have', () =>
    expectVariants('even', {
      note: 'as configured: p = 1.00',
      rows: ['blue\t48\t50.0 %\t50.0 %', 'red\t48\t50.0 %\t50.0 %'],
    }),
  );

  async function expectVariants(
    name: string,
    { note, rows }: { readonly note: string; readonly rows: readonly string[] },
  ): Promise<void> {
    const page = await open(name, DAY);
    await page.getByText(note).waitFor();
    const shown = page.getByRole('table', { name: 'Variants' }).first().locator('tbody tr');
    expect(await shown.allInnerTexts()).to.deep.equal(rows);
    await page.getByText('blue 50.0 %, red 50.0 %').waitFor();
  }

  itInTurn('is harmless and accessible on a dark phone', async () => {
    await visit.page.emulateMedia({ colorScheme: 'dark' });
    await visit.page.setViewportSize({ width: 390, height: 900 });
    const page = await open('even', { window: '7d' });
    await page.getByRole('figure', { name: 'Variants' }).waitFor();
    await visit.expectHarmless();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(390);
  });

  itNightly('says how old its numbers are while ClickHouse is frozen, and the rest works', async () => {
    const page = await open('even', { window: '7d' });
    await clickhouse?.freeze();
    try {
      await page.getByRole('button', { name: 'Turn off in production' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Turn off', exact: true }).click();
      await page.getByRole('button', { name: 'Turn on in production' }).waitFor();
      await page.getByText('turned off').first().waitFor();
      // Reads again at once.
      await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click();
      await page.goBack();
      const section = page.locator('section', { has: chartOf(page) });
      await section.getByText(/As of \d+ s ago/).waitFor({ timeout: LONGEST_MS });
    } finally {
      clickhouse?.thaw();
    }
    await eventually(
      () => page.locator('.stale').count(),
      (count) => count === 0,
    );
  });
});

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** The number of painted pixels of the first chart. */
const PAINTED = `(() => {
  const canvas = document.querySelector('.plot canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, at) => at % 4 === 3 && value > 0).length;
})()`;
