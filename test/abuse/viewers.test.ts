import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createSecret } from '#domain';
import { createTokens, openRevocations } from '#stores';
import { type Api, aUser, openApi } from '../support/admin.ts';
import { LONGEST_TEXT, openLists } from '../support/attacks/viewers.ts';
import { releaseCanary } from '../support/canary.ts';
import { aFreshMetric, bodyOf } from '../support/post.ts';
import type { ServiceProcess } from '../support/process.ts';
import { type World, createWorld } from '../support/world.ts';

const LONG_FEEDBACKS = 500;
const BATCHES = 100;
const NEW_RELAYS = 10;

describe('a Viewer', () => {
  let world: World;
  let front: ServiceProcess;
  let api: Api;

  before(async () => {
    world = await createWorld();
    front = await world.fork('standalone');
    api = await openApi(front.url);
  });
  after(() => world.dispose());

  it('costs relays nothing with as many lists of long texts as one may open, never read', async () => {
    await world.db.query(
      `insert into feedback (category, positive, areas_for_improvement)
       select 'search', $1, $1 from generate_series(1, $2::int)`,
      [LONGEST_TEXT, LONG_FEEDBACKS],
    );
    const { token } = await aUser(api, 'Viewer', 'vera');
    const canary = await releaseCanary(front);
    const crowd = await openLists(front.url, token);
    await canary.answered(BATCHES);
    crowd.leave();

    await canary.expectUnharmed();
  });

  it('who makes and deletes tokens without end keeps no relay with a new token waiting', async () => {
    const secrets = Array.from({ length: NEW_RELAYS }, () => createSecret([], 'production'));
    for (const secret of secrets) {
      await createTokens(world.db).create({
        secret,
        name: 'relay',
        type: 'client',
        environment: 'production',
        projects: [],
        expiresAt: undefined,
      });
    }
    const canary = await releaseCanary(front);
    // What every process hears of it, as fast as many Viewers and many admin processes together could do it.
    const elsewhere = openRevocations(world.config.redis, world.log);
    const attack = { isOver: false };
    const revoking = (async () => {
      while (!attack.isOver) await elsewhere.announce(randomUUID());
    })();
    const answers: unknown[] = [];
    await canary.answered(BATCHES / 4);
    for (const secret of secrets) answers.push(await pushWith(secret));
    attack.isOver = true;
    await revoking;
    elsewhere.close();

    expect(answers).to.deep.equal(Array(NEW_RELAYS).fill(202));
    await canary.expectUnharmed();
  });

  async function pushWith(secret: string): Promise<number | string> {
    try {
      const { status } = await fetch(`${front.url}/edge/metrics`, {
        method: 'POST',
        headers: { authorization: secret, 'content-type': 'application/json' },
        body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }),
        signal: AbortSignal.timeout(5000),
      });
      return status;
    } catch (error) {
      return String(error);
    }
  }
});
