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

      const rejected = await api.get('/api/admin/feedback');
      expect(rejected.status).to.equal(503);
      expect(rejected.headers.get('retry-after')).to.equal('5');
      await aFeature(api, 'made-meanwhile');
      expect((await api.get('/api/admin/projects/default/features/made-meanwhile')).status).to.equal(200);
      expect((await post(api, { authorization: '*:production.never-seen' })).status).to.equal(202);
      expect((await fetch(`${api.url}/ready`)).status).to.equal(200);

      expect(await countBlocked(world)).to.equal(AT_ONCE);
      await holder.query('rollback');
      for (const { status } of await Promise.all(reads)) expect(status).to.equal(200);
    } finally {
      holder.release(true);
    }
  });
});
