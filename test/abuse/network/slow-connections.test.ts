import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { releaseCanary } from '../../support/attacks/canary/canary.ts';
import { aStranger, gatherCrowd } from '../../support/attacks/crowd.ts';
import { itNightly } from '../../support/nightly.ts';
import { SMALLEST_ANSWER } from '../../support/attacks/strangers.ts';
import { rawHead } from '../../support/requests/raw-http.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';

/** Of each kind. */
const CONNECTIONS = 700;
const ROUNDS = 5;
const BATCHES = 20;

const HEAD = rawHead('/edge/metrics', {
  Authorization: CLIENT_TOKEN,
  'Content-Type': 'application/json',
  'Content-Length': 1000,
});

describe('2,100 slow connections', () => {
  const attacked = attackedIngest();

  itNightly('cost relays nothing: headers and bodies that trickle in, and idle ones', async () => {
    const canary = await releaseCanary(attacked.ingest);
    const { url } = attacked.ingest;
    const headers = await gatherCrowd(url, CONNECTIONS, { request: HEAD.slice(0, -2), from: aStranger() });
    const bodies = await gatherCrowd(url, CONNECTIONS, { request: `${HEAD}{`, from: aStranger() });
    const idle = await gatherCrowd(url, CONNECTIONS, { request: SMALLEST_ANSWER, from: aStranger() });
    for (let round = 0; round < ROUNDS; round += 1) {
      headers.say('X-Slow: 1\r\n');
      bodies.say(' ');
      await canary.answered(BATCHES);
    }
    const served = idle.tally();
    const early = [headers, bodies].map((crowd) => crowd.tally());
    for (const crowd of [headers, bodies, idle]) crowd.leave();

    expect(served).to.deep.equal({ 200: CONNECTIONS });
    for (const { open = 0, 408: late = 0 } of early) expect(open + late).to.equal(CONNECTIONS);
    await canary.expectUnharmed();
  });
});
