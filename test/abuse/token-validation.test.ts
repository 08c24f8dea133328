import { expect } from 'chai';
import { guessSecrets, validateSlowly } from '../support/attacks/strangers.ts';
import { releaseCanary } from '../support/canary.ts';
import { aStranger } from '../support/crowd.ts';
import { eventually } from '../support/eventually.ts';
import { post } from '../support/post.ts';
import type { ServiceProcess } from '../support/process.ts';
import { CLIENT_TOKEN, type World, createWorld } from '../support/world.ts';

const PATH = '/edge/validate';
const BATCHES = 50;
/** Fifteen seconds of twenty a second, and the quarter of all room that they get. */
const SLOW = 300;
/** Twice the failures that an address has in a minute. */
const GUESSING = 20;

describe('strangers at the validation of tokens', () => {
  let world: World;
  let front: ServiceProcess;

  before(async () => {
    world = await createWorld();
    front = await world.fork('ingest');
  });
  after(() => world.dispose());

  it('who are slow keep no relay out, and get 408 after two seconds', async () => {
    const canary = await releaseCanary(front);
    const crowd = await validateSlowly(front.url, aStranger(), SLOW);
    const answer = await validate();
    const tally = await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ open = 0 }) => open === 0,
    );
    await canary.answered(BATCHES);
    crowd.leave();

    expect(answer).to.equal(200);
    expect(tally).to.deep.equal({ 408: SLOW });
    await canary.expectUnharmed();
  });

  it('who guess secrets keep no relay out, and are asked to wait', async () => {
    const canary = await releaseCanary(front);
    const from = aStranger();
    const crowd = await guessSecrets(front.url, from, GUESSING);
    const answers = [await validate(), await validate(), await validate()];
    await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ open = 0 }) => open === 0,
    );
    const late = await guessSecrets(front.url, from, 1);
    await eventually(
      () => Promise.resolve(late.tally()),
      ({ open = 0 }) => open === 0,
    );
    await canary.answered(BATCHES);
    const tally = late.tally();
    for (const each of [crowd, late]) each.leave();

    expect(answers).to.deep.equal([200, 200, 200]);
    expect(tally).to.deep.equal({ 429: 1 });
    await canary.expectUnharmed();
  });

  /** As a relay asks that has just been started. */
  async function validate(): Promise<number> {
    const body = JSON.stringify({ tokens: [CLIENT_TOKEN, `*:production.new-${Math.random()}`] });
    return (await post(front, { path: PATH, authorization: '', body })).status;
  }
});
