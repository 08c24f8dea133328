import { expect } from 'chai';
import { attackedIngest } from '../support/attacks/attacked-ingest.ts';
import { releaseCanary } from '../support/attacks/canary.ts';
import { BODY_BYTES, announceBodies, withholdLastBytes } from '../support/attacks/client-tokens.ts';
import { aStranger } from '../support/attacks/crowd.ts';
import { eventually } from '../support/eventually.ts';

const CONNECTIONS = 700;
const BATCHES = 50;
/** Of the room, in such bodies. */
const QUARTER = Math.floor((16 * 1024 * 1024) / BODY_BYTES);

describe('a token whose bodies never end', () => {
  const attacked = attackedIngest();

  it('holds no room for what it announces', async () => {
    const canary = await releaseCanary(attacked.ingest);
    const crowd = await announceBodies(attacked.ingest.url, aStranger(), CONNECTIONS);
    await canary.answered(BATCHES);
    const tally = crowd.tally();
    crowd.leave();

    expect(tally).to.deep.equal({ open: CONNECTIONS });
    await canary.expectUnharmed();
  });

  it('holds a quarter of the room with what it sends', async () => {
    const canary = await releaseCanary(attacked.ingest);
    const crowd = await withholdLastBytes(attacked.ingest.url, aStranger(), CONNECTIONS);
    // Rejected, not given up for being slow: the others still hold what they have.
    const { open = 0 } = await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ 503: rejected = 0, cut = 0 }) => rejected + cut >= CONNECTIONS - QUARTER,
    );
    await canary.answered(BATCHES);
    crowd.leave();

    expect(open).to.be.greaterThan(0);
    await canary.expectUnharmed();
  });
});
