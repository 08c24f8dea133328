import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { freePort } from '../../../tools/stack/index.ts';
import { aUser, openApi } from '../../support/admin-api/admin.ts';
import { itByTurns, itNightly } from '../../support/nightly.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';
import { runConsole } from '../support/run-console.ts';
import { type Visit, linkOf, openVisit } from '../support/visit.ts';

const UNAUTHORIZED = /status of 401/;

const itInTurn = itByTurns(2);

describe('the console: sign-in', () => {
  const world = sharedUncountedWorld();
  let admin: Service;

  before(async () => {
    admin = await runConsole(world);
  });

  itInTurn('signs in with a link, and removes the token from the address at once', async () => {
    await visiting(admin.url, async ({ page }) => {
      await page.goto(linkOf(admin.url, ADMIN_TOKEN));
      await page.getByRole('navigation').waitFor();
      expect(page.url()).to.equal(`${admin.url}/#/`);
      expect(await page.evaluate<number>('history.length')).to.be.lessThan(3);
    });
  });

  itInTurn('rejects an unknown token and keeps a known one for this tab only', async () => {
    await visiting(admin.url, async (visit) => {
      visit.allow(UNAUTHORIZED);
      const { page } = visit;
      await page.goto(`${admin.url}/#/strategies`);
      const field = page.getByLabel('ADMIN token or personal token');
      await field.waitFor();
      await visit.expectHarmless();
      await field.fill('*:*.nobody-knows-this-one');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('does not know this token').waitFor();

      await field.fill(ADMIN_TOKEN);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Strategies' }).waitFor();
      expect(await page.evaluate<string>('JSON.stringify(localStorage)')).not.to.include(ADMIN_TOKEN);
    });
  });

  itInTurn('asks for another token when this one was revoked meanwhile', async () => {
    const api = await openApi(admin.url);
    const user = await aUser(api, 'Admin', 'leaver');
    await visiting(admin.url, async (visit) => {
      visit.allow(UNAUTHORIZED);
      const { page } = visit;
      await page.goto(linkOf(admin.url, user.token));
      await page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
      await api.delete(`/api/admin/user-admin/${user.id}`);

      await page.getByRole('alert').getByText('not valid any more').waitFor();
      expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0);
    });
  });

  itNightly('needs no token while AUTH_TYPE is none', async () => {
    const open = await world.fork('admin', { AUTH_TYPE: 'none' });
    await visiting(open.url, async ({ page }) => {
      await page.goto(`${open.url}/`);
      await page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
      expect(await page.getByRole('button', { name: 'Sign out' }).count()).to.equal(0);
    });
    await open.stop();
  });

  itInTurn(
    'recovers by itself after a restart of the server, and shows old numbers greyed meanwhile',
    async () => {
      const port = String(await freePort());
      const first = await world.fork('admin', { PORT: port });
      await visiting(first.url, async (visit) => {
        const { page } = visit;
        visit.allow(/net::ERR_|status of 503/);
        await page.goto(linkOf(first.url, ADMIN_TOKEN));
        await page.getByRole('heading', { name: 'Nothing was received in this time' }).waitFor();
        await first.kill();
        const old = page.locator('.stale .equation');
        await old.waitFor();
        await world.fork('admin', { PORT: port });

        await old.waitFor({ state: 'detached' });
        await page.locator('.equation').waitFor();
      });
    },
  );

  async function visiting(url: string, act: (visit: Visit) => Promise<void>): Promise<void> {
    const visit = await openVisit(url);
    await act(visit);
    await visit.expectHarmlessAfterActs();
    await visit.close();
  }
});
