import { expect } from 'chai';
import type { Page } from 'playwright-core';
import type { Service } from '#base/runtime';
import { type Api, aFeature, aUser, openApi } from '../../support/admin-api/admin.ts';
import { IN_PRODUCTION, stepAsRead } from '../../support/admin-api/change-requests.ts';
import { itByTurns } from '../../support/nightly.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import {} from '../../support/world.ts';
import { pressPair } from '../support/press-pair.ts';
import { runConsole } from '../support/run-console.ts';
import { visitAs } from '../support/visit.ts';
import { IN_A_MONTH } from '../../support/times.ts';

const REQUESTS = '/api/admin/projects/default/change-requests';

type Shown = {
  readonly id: number;
  readonly features: readonly { readonly changes: readonly { readonly id: number }[] }[];
};

const itInTurn = itByTurns(2);

describe('the console: change requests that are edited after they were read', () => {
  const world = sharedUncountedWorld();
  let admin: Service;
  let api: Api;
  let author: string;
  let reviewer: string;

  before(async () => {
    admin = await runConsole(world);
    api = await openApi(admin.url);
    author = (await aUser(api, 'Editor', 'arno')).token;
    reviewer = (await aUser(api, 'Editor', 'rita')).token;
    for (const name of ['basket', 'search']) await aFeature(api, name);
  });

  async function inReview(feature: string): Promise<Shown> {
    const changes = [{ feature, action: 'updateEnabled', payload: { enabled: true } }];
    const { body } = await api.post(IN_PRODUCTION, { changes }, { token: author });
    const path = `${REQUESTS}/${(body as Shown).id}`;
    return (await stepAsRead(api, { path, change: { state: 'In review' }, token: author })).body as Shown;
  }

  async function archiveInstead({ id, features }: Shown): Promise<void> {
    const path = `${REQUESTS}/${id}/changes/${features[0]?.changes[0]?.id ?? 0}`;
    const answer = await api.put(path, { action: 'archiveFeature' }, { token: author });
    expect(answer.status).to.equal(200);
  }

  const stateOf = async ({ id }: Shown) => (await api.get(`${REQUESTS}/${id}`)).body;

  async function expectEdit(of: ReturnType<Page['getByRole']>): Promise<void> {
    await of.locator('del', { hasText: /^Turn on$/ }).waitFor();
    await of.locator('ins', { hasText: /^Archive$/ }).waitFor();
  }

  itInTurn('refuse an approval of what was read, show the edit, and ask again', async () => {
    const request = await inReview('basket');
    const place = `change-requests/default/${request.id}`;
    await visitAs({ url: admin.url, token: reviewer, place }, async (visit) => {
      const { page } = visit;
      visit.allow(/status of 412/);
      await page.getByRole('heading', { name: /needs 1 approval/ }).waitFor();
      await page.getByRole('button', { name: 'Approve' }).click();
      await archiveInstead(request);
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
      await dialog.getByText('Somebody has changed the change request').waitFor();
      await expectEdit(dialog.getByRole('row', { name: 'basket' }));
      expect(await stateOf(request)).to.include({ state: 'In review' });
      await dialog.getByRole('button', { name: 'Approve, with the edits' }).click();
      await page.getByRole('heading', { name: /is approved/ }).waitFor();
    });
    expect(await stateOf(request)).to.include({ state: 'Approved' });
    const change = { state: 'Cancelled' };
    await stepAsRead(api, { path: `${REQUESTS}/${request.id}`, change, token: author });
  });

  itInTurn(
    'leave no way to approve with a token that somebody else made, until its user replaces it',
    async () => {
      const { id } = await aUser(api, 'Editor', 'lost');
      const given = { description: 'given', expiresAt: IN_A_MONTH };
      const { body: own } = await api.get(`/api/admin/user-admin/${id}/tokens`);
      for (const pat of (own as { pats: { id: string }[] }).pats)
        await api.delete(`/api/admin/user-admin/${id}/tokens/${pat.id}`);
      const { body } = await api.post(`/api/admin/user-admin/${id}/tokens`, given);
      const { secret } = body as { secret: string };
      const request = await inReview('basket');
      const place = `change-requests/default/${request.id}`;
      await visitAs({ url: admin.url, token: secret, place }, async ({ page }) => {
        await page.getByRole('heading', { name: /needs 1 approval/ }).waitFor();
        await page.getByLabel('Your comment').waitFor();
        expect(await page.getByRole('button', { name: 'Approve' }).count()).to.equal(0);
        await pressPair(page, 'g', 't');
        await page.getByRole('button', { name: 'Replace it with your own' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('What it is for').fill('mine');
        await dialog.getByLabel('Last day (UTC)').fill(IN_A_MONTH.slice(0, 10));
        await dialog.getByRole('button', { name: 'Replace', exact: true }).click();
        await page.getByRole('heading', { name: 'Copy the secret now' }).waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
        await page.goBack();
        await page.getByRole('button', { name: 'Approve' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
        await page.getByRole('heading', { name: /is approved/ }).waitFor();
      });
      const cancel = { path: `${REQUESTS}/${request.id}`, change: { state: 'Cancelled' }, token: author };
      expect((await stepAsRead(api, cancel)).status).to.equal(200);
    },
  );

  itInTurn('show earlier approvers what has changed since they approved', async () => {
    const request = await inReview('search');
    const path = `${REQUESTS}/${request.id}`;
    await stepAsRead(api, { path, change: { state: 'Approved' }, token: reviewer });
    await archiveInstead(request);
    const place = `change-requests/default/${request.id}`;
    await visitAs({ url: admin.url, token: reviewer, place }, async ({ page }) => {
      await page.getByText('edited after the approval by rita').waitFor();
      const edits = page.locator('section', { hasText: 'Edited since you approved it' });
      await expectEdit(edits.getByRole('row', { name: 'search' }));
      await edits.getByRole('button', { name: 'I have read the edits' }).click();
      await edits.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByRole('heading', { name: /is approved/ }).waitFor();
    });
  });
});
