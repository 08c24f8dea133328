import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { releaseCanary } from '../../support/attacks/canary/canary.ts';
import { announceBodies } from '../../support/attacks/client-tokens.ts';
import { aStranger } from '../../support/attacks/crowd.ts';
import { guessSecrets, pushInvented, validateSlowly } from '../../support/attacks/strangers.ts';
import { eventually } from '../../support/eventually.ts';
import { post } from '../../support/requests/post.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';
import { createClientTokens, pushFirstBatches } from './new-relays.ts';

const PATH = '/edge/validate';
const BATCHES = 50;
/** Fifteen seconds at twenty a second, plus the quarter of all slots that they get. */
const SLOW = 300;
const SLOW_BODIES = 10;
/** Twice the failures that an address may cause in a minute. */
const GUESSING = 20;
/** Connections of one address. */
const INVENTING = 800;
const NEW_RELAYS = 8;

describe('strangers at the validation of tokens', () => {
  const attacked = attackedIngest();

  it("who are slow block no relay, and get 408 long before a relay's body would", async () => {
    const canary = await releaseCanary(attacked.ingest);
    const bodies = await announceBodies(attacked.ingest.url, aStranger(), SLOW_BODIES);
    const crowd = await validateSlowly(attacked.ingest.url, aStranger(), SLOW);
    const answer = await validate();
    const tally = await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ open = 0 }) => open === 0,
    );
    const meanwhile = bodies.tally();
    await canary.answered(BATCHES);
    for (const each of [bodies, crowd]) each.leave();

    expect(answer).to.equal(200);
    expect(tally).to.deep.equal({ 408: SLOW });
    expect(meanwhile).to.deep.equal({ open: SLOW_BODIES });
    await canary.expectUnharmed();
  });

  it('who guess secrets block no relay, and get 429', async () => {
    const canary = await releaseCanary(attacked.ingest);
    const from = aStranger();
    const crowd = await guessSecrets(attacked.ingest.url, from, GUESSING);
    const answers = [await validate(), await validate(), await validate()];
    await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ open = 0 }) => open === 0,
    );
    const late = await guessSecrets(attacked.ingest.url, from, 1);
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

  it('who push with many new tokens block no relay with a new token', async () => {
    const relays = await createClientTokens(attacked.world.db, NEW_RELAYS);
    const canary = await releaseCanary(attacked.ingest);
    const crowd = await pushInvented(attacked.ingest.url, aStranger(), INVENTING);
    const answers = await pushFirstBatches(attacked.ingest.url, relays);
    await canary.answered(BATCHES);
    crowd.leave();

    expect(answers).to.deep.equal(relays.map(() => 202));
    await canary.expectUnharmed();
  });

  /** Validates like a relay that has just started. */
  async function validate(): Promise<number> {
    const body = JSON.stringify({ tokens: [CLIENT_TOKEN, `*:production.new-${Math.random()}`] });
    return (await post(attacked.ingest, { path: PATH, authorization: '', body })).status;
  }
});
