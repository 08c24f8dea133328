import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { countAll, hourly } from '../../../support/admin-api/usage.ts';
import { eventually } from '../../../support/eventually.ts';
import { itByTurns } from '../../../support/nightly.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../../support/world.ts';
import { runConsole } from '../../support/run-console.ts';
import { type Visit, openVisit } from '../../support/visit.ts';

const HOUR_MS = 3_600_000;
/** A whole hour that has ended, so that no chart of it still fills, whenever the test runs. */
const END = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS;
const DAY = { from: new Date(END - 24 * HOUR_MS).toISOString(), to: new Date(END).toISOString() };

const itInTurn = itByTurns(2);

describe('the console: results that nobody reported', () => {
  const world = sharedWorld();
  let admin: Service;
  let visit: Visit;

  before(async () => {
    admin = await runConsole(world);
    const api = await openApi(admin.url);
    await aFeature(api, 'unsaid');
    await aFeature(api, 'silent');
    const hours = [DAY.from, DAY.to] as const;
    await countAll(world.clickhouse, hourly(...hours, { feature_name: 'unsaid', yes: 1, no: 1, unknown: 2 }));
    await countAll(world.clickhouse, hourly(...hours, { feature_name: 'silent', yes: 0, no: 0, unknown: 5 }));
  });
  beforeEach(async () => {
    visit = await openVisit(admin.url, { token: ADMIN_TOKEN });
  });
  afterEach(async () => {
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });

  const chartOf = () => visit.page.getByRole('figure', { name: 'Evaluations' });

  itInTurn(
    'draws what nobody reported as a layer of its own, outside of every share of yes and no',
    async () => {
      const { page } = visit;
      await page.goto(`${admin.url}/#/features/unsaid?${new URLSearchParams(DAY).toString()}`);
      await page
        .getByRole('heading', {
          name: 'unsaid was on for 50.0 % of the reported results in production in this time',
        })
        .waitFor();
      const chart = chartOf();
      await chart.locator('canvas').waitFor();
      const buttons = chart.getByRole('group', { name: 'Series' }).getByRole('button');
      const names = (await buttons.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
      expect(names.slice(0, 3)).to.deep.equal([
        'yes 24 25.0 %',
        'no 24 25.0 %',
        'result not reported 48 50.0 %',
      ]);
      const tone = await page.evaluate<string>(TONE);
      expect(tone).to.match(/^#[0-9a-f]{6}$/);
      expect(await page.evaluate<number>(paintedIn(tone))).to.be.greaterThan(100);
      await buttons.filter({ hasText: 'result not reported' }).click();
      await eventually(
        () => page.evaluate<number>(paintedIn(tone)),
        (pixels) => pixels === 0,
      );
      await chart.getByRole('button', { name: 'As table' }).click();
      expect(await chart.locator('thead').innerText()).to.include('result not reported');
      await visit.expectHarmless();
    },
  );

  itInTurn('states nothing of a feature whose results nobody reported', async () => {
    const { page } = visit;
    await page.goto(`${admin.url}/#/features/silent?${new URLSearchParams(DAY).toString()}`);
    await page
      .getByRole('heading', {
        name: 'silent was evaluated in production in this time, and no result was reported',
      })
      .waitFor();
    const series = chartOf().getByRole('group', { name: 'Series' });
    await series.getByRole('button', { name: 'result not reported 120 100 %' }).waitFor();
    expect(await page.locator('main').innerText()).to.not.match(/(?:is|was) (?:always )?(?:on|off) for/);
  });
});

/** The colour of the layer of what nobody reported. */
const TONE = `getComputedStyle(document.documentElement).getPropertyValue('--unknown').trim()`;

/** The number of pixels of the first chart that have nearly this colour. */
function paintedIn(tone: string): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(tone.slice(at, at + 2), 16));
  return `(() => {
    const canvas = document.querySelector('.plot canvas');
    // A copy, because the browser warns of a chart that is read twice.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    let pixels = 0;
    for (let at = 0; at < data.length; at += 4)
      if (Math.abs(data[at] - ${red}) + Math.abs(data[at + 1] - ${green}) + Math.abs(data[at + 2] - ${blue}) < 24 && data[at + 3] > 200) pixels += 1;
    return pixels;
  })()`;
}
