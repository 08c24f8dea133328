import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { startStandalone } from '../../../../../services/standalone/app.ts';
import { type Api, aFeature, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import { aToken } from '../../../../support/builders/builders.ts';
import { countBlocked } from '../../../../support/stack/engines/postgres/blocked-statements.ts';
import { eventually } from '../../../../support/eventually.ts';
import { post } from '../../../../support/requests/post.ts';
import { sharedWorld } from '../../../../support/world.ts';

/** Half of ADMIN_POOL_MAX is for lists, and half of that is the part of one caller. */
const AT_ONCE = 4;
const OF_ONE = 2;

describe('slow reads of the admin API', () => {
  const world = sharedWorld();
  let api: Api;
  before(async () => {
    const { url } = await world.run(startStandalone);
    api = await openApi(url);
  });

  it('block neither changes, nor the tokens of relays, nor readiness; too many of them get 503', async () => {
    await createTokens(world.db).create(aToken({ secret: '*:production.never-seen' }));
    const holder = await world.db.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table feedback in access exclusive mode');
      const readers = ['vera', 'victor'].map((name) => aUser(api, 'Viewer', name));
      const tokens = (await Promise.all(readers)).map(({ token }) => token);
      const reads = tokens.flatMap((token) =>
        Array.from({ length: OF_ONE }, () => api.get('/api/admin/feedback', { token })),
      );
      await eventually(
        () => countBlocked(world),
        (blocked) => blocked === AT_ONCE,
      );

      const change = async () => {
        await aFeature(api, 'made-meanwhile');
        return api.get('/api/admin/projects/default/features/made-meanwhile');
      };
      // At the same time, because Postgres ends the slow reads after ten seconds.
      const [rejected, ...others] = await Promise.all([
        api.get('/api/admin/feedback'),
        change(),
        post(api, { authorization: '*:production.never-seen' }),
        fetch(`${api.url}/ready`),
      ]);
      const blocked = await countBlocked(world);
      await holder.query('rollback');

      expect(rejected.status).to.equal(503);
      expect(rejected.headers.get('retry-after')).to.equal('5');
      expect(others.map(({ status }) => status)).to.deep.equal([200, 202, 200]);
      expect(blocked).to.equal(AT_ONCE);
      for (const { status } of await Promise.all(reads)) expect(status).to.equal(200);
    } finally {
      holder.release(true);
    }
  });
});
