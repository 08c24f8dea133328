import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { BODY_PROBLEMS } from '#base/http';
import { readConfig, type Service } from '#base/runtime';
import { writeRejectedBodies } from '../../packages/base/auth/tokens/rejected-bodies.ts';
import { bodyProblemOf } from '../../services/console/pages/usage/refused/body-problems.ts';
import { startIngest } from '../../services/ingest/app.ts';
import { openApi } from '../support/admin-api/admin.ts';
import { eventually } from '../support/eventually.ts';
import { itByTurns, itNightly } from '../support/nightly.ts';
import { aFreshMetric, bodyOf } from '../support/requests/post.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, sharedWorld } from '../support/world.ts';
import { runConsole } from './support/run-console.ts';
import type { Look } from './support/tabs.ts';
import { type Visit, openSignedIn } from './support/visit.ts';

const NASTY = '<img src=x onerror=alert(1)>\u{202e}';
const DAY = new Date().toISOString().slice(0, 10);

const itInTurn = itByTurns(2);

describe('the console: refused', () => {
  const world = sharedWorld();
  let admin: Service;

  before(async () => {
    admin = await runConsole(world);
  });

  function open(look: Partial<Look> = {}): Promise<Visit> {
    return openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'refused' }, look);
  }

  itInTurn('says that nothing was refused, and shows no empty list', async () => {
    const visit = await open();
    await visit.page.getByRole('heading', { name: 'Nothing was refused', exact: true }).waitFor();
    await visit.page.getByText('Every accepted metric of the last 30 days was counted.').waitFor();
    expect(await visit.page.getByRole('heading', { name: /Rejected bodies/ }).count()).to.equal(0);
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });

  itInTurn('shows a body that was sent, by whom, where its fault is and what to do', async () => {
    const ingest = await startIngest(readConfig({ ...world.env }), world.log);
    await eventually(
      () => fetch(`${ingest.url}/ready`),
      ({ status }) => status === 200,
    );
    const yes: unknown = '3';
    const { status } = await fetch(`${ingest.url}/edge/metrics`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: CLIENT_TOKEN,
        'unleash-appname': 'web-shop',
        'unleash-sdk': 'unleash-node@5.3.0',
      },
      body: JSON.stringify({ ...(JSON.parse(bodyOf()) as object), metrics: [{ ...aFreshMetric(), yes }] }),
    });
    expect(status).to.equal(400);
    // It reports what is left.
    await ingest.stop();

    const visit = await open();
    await visit.page.getByRole('heading', { name: '1 body was not accepted today' }).waitFor();
    const row = visit.page.getByRole('table', { name: 'Rejected bodies' }).locator('tbody tr');
    const [token] = await readTokens();
    const text = (await row.innerText()).replaceAll(/\s+/g, ' ');
    expect(text).to.include(
      `${token} web-shop unleash-node@5.3.0 Wrong form: Correct the member at the place`,
    );
    expect(text).to.include('400 at /edge/metrics, metrics[0].yes: The body does not match the schema');
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });

  /** The names of the tokens of relays. */
  async function readTokens(): Promise<string[]> {
    const { body } = await (await openApi(admin.url)).get('/api/admin/api-tokens');
    const { tokens } = body as { tokens: { tokenName: string; secret: string; type: string }[] };
    return tokens.filter(({ type }) => type === 'client').map(({ tokenName }) => tokenName);
  }

  describe('with every problem', () => {
    before(async () => {
      const example = {
        status: 400,
        path: '/edge/metrics',
        place: `metrics[0].${NASTY}`,
        message: NASTY.repeat(5),
        appName: NASTY,
        sdk: 'x'.repeat(100),
      };
      const times = { day: DAY, firstAt: Date.now() - 1000, lastAt: Date.now() };
      await world.db.query('delete from rejected_bodies');
      await writeRejectedBodies(world.db, {
        writer: randomUUID(),
        number: 1,
        sums: BODY_PROBLEMS.map((problem) => ({ tokenId: '', problem, count: 2000, ...times, example })),
      });
    });

    itInTurn('names each problem, and shows what senders wrote as text', () =>
      expectProblems({ theme: 'light', width: 1280 }),
    );

    itNightly('names them in the dark, in a narrow window', () =>
      expectProblems({ theme: 'dark', width: 390 }),
    );
  });

  async function expectProblems(look: Look): Promise<void> {
    const visit = await open(look);
    const { page } = visit;
    const sum = (2000 * BODY_PROBLEMS.length).toLocaleString('en-US');
    await page.getByRole('heading', { name: `Rejected bodies: ${sum} in 30 days` }).waitFor();
    for (const problem of BODY_PROBLEMS) {
      const { title, advice } = bodyProblemOf(problem);
      await page.getByRole('cell', { name: `${title}: ${advice}` }).waitFor();
    }
    expect(await page.getByRole('table', { name: 'Rejected bodies' }).innerText())
      .to.include('without a valid token')
      .and.include(NASTY);
    expect(await page.locator('main img').count()).to.equal(0);
    await visit.expectHarmless();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(look.width);
    await visit.close();
  }
});
