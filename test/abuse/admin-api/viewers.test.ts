import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Api, aUser, openApi } from '../../support/admin-api/admin.ts';
import { forkAttacked, releaseCanary } from '../../support/attacks/canary/canary.ts';
import { LONGEST_TEXT, openLists } from '../../support/attacks/viewers.ts';
import { redisBusOf } from '../../support/stack/bus/redis-bus.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { createClientTokens, pushFirstBatches } from '../relays/new-relays.ts';

const LONG_FEEDBACKS = 500;
const BATCHES = 50;
const NEW_RELAYS = 10;

describe('a Viewer', () => {
  const world = sharedUncountedWorld();
  let standalone: ServiceProcess;
  let api: Api;

  before(async () => {
    standalone = await forkAttacked(world, 'standalone');
    api = await openApi(standalone.url);
  });

  it('costs relays nothing with the maximum of open lists of long texts that it never reads', async () => {
    await world.db.query(
      `insert into feedback (category, positive, areas_for_improvement)
       select 'search', $1, $1 from generate_series(1, $2::int)`,
      [LONGEST_TEXT, LONG_FEEDBACKS],
    );
    const { token } = await aUser(api, 'Viewer', 'vera');
    const canary = await releaseCanary(standalone);
    const crowd = await openLists(standalone.url, token);
    await canary.answered(BATCHES);
    crowd.leave();

    await canary.expectUnharmed();
  });

  it('who creates and deletes tokens endlessly delays no relay with a new token', async () => {
    const relays = await createClientTokens(world.db, NEW_RELAYS);
    const canary = await releaseCanary(standalone);
    // The announcements that every process receives, at the rate of many Viewers and many admin processes together.
    const elsewhere = redisBusOf(world);
    const attack = { isOver: false };
    const revoking = (async () => {
      while (!attack.isOver) await elsewhere.announce(randomUUID());
    })();
    await canary.answered(BATCHES / 2);
    const answers = await pushFirstBatches(standalone.url, relays);
    attack.isOver = true;
    await revoking;
    elsewhere.close();

    expect(answers).to.deep.equal(relays.map(() => 202));
    await canary.expectUnharmed();
  });
});
