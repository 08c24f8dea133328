import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { aRelayReport } from '../../support/builders/relay-reports.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import { anArrivedReport, storeReports } from '../../support/senders/relays.ts';
import { ADMIN_TOKEN, sharedWorld } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import type { Look } from '../support/tabs.ts';
import { type Visit, openSignedIn } from '../support/visit.ts';

const MINUTE_MS = 60_000;
const NASTY = '<img src=x onerror=alert(1)>';

const itInTurn = itByTurns(2);

describe('the console: relays', () => {
  const world = sharedWorld();
  let admin: Service;

  before(async () => {
    admin = await runConsole(world);
  });

  function open(look: Partial<Look> = {}): Promise<Visit> {
    return openSignedIn({ url: admin.url, token: ADMIN_TOKEN, place: 'relays' }, look);
  }

  itInTurn('says how an Edge reports, before any has', async () => {
    const visit = await open();
    await visit.page.getByText('Unleash Edge 19.7 and later does so by itself').waitFor();
    await visit.expectHarmlessAfterActs();
    await visit.close();
  });

  describe('with reports', () => {
    before(async () => {
      const now = Date.now();
      const held = (revisionId: number) => ({
        edgeApiKeyRevisionIds: [{ environment: 'production', projects: ['*'], revisionId }],
      });
      const behind = aRelayReport({ identifier: NASTY, edgeVersion: '19.8.0', ...held(9) });
      await storeReports(
        world,
        anArrivedReport('quiet', now - 20 * MINUTE_MS, { region: 'us-east-1' }),
        anArrivedReport('parent', now - 1000, { ...held(12), connectedEdges: [behind] }),
      );
    });

    itInTurn('shows silent relays first, nested ones as a tree, and who has the newest configuration', () =>
      expectRelays({ theme: 'light', width: 1280 }),
    );

    itNightly('shows them in the dark, in a narrow window', () =>
      expectRelays({ theme: 'dark', width: 390 }),
    );
  });

  async function expectRelays(look: Look): Promise<void> {
    const visit = await open(look);
    await visit.page
      .getByRole('heading', { name: '1 relay reports, 1 silent, 1 with an old configuration' })
      .waitFor();
    expect(await visit.page.locator('tbody .tree').allInnerTexts()).to.deep.equal([
      'unleash-edge quiet',
      'unleash-edge parent',
      `unleash-edge ${NASTY}`,
    ]);
    await visit.page.getByText('1 of 2').waitFor();
    await visit.expectHarmless();
    expect(await visit.page.evaluate<number>('document.documentElement.scrollWidth')).to.equal(look.width);
    await visit.close();
  }
});
