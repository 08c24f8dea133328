import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { releaseCanary } from '../../support/attacks/canary/canary.ts';
import { BODY_BYTES, announceBodies, withholdLastBytes } from '../../support/attacks/client-tokens.ts';
import { aStranger } from '../../support/attacks/crowd.ts';
import { eventually } from '../../support/eventually.ts';

/** More bodies than have room. */
const ANNOUNCED = 700;
const BATCHES = 50;
/** Number of such bodies that have room. */
const QUARTER = Math.floor((16 * 1024 * 1024) / BODY_BYTES);
const SENT = 2 * QUARTER;

describe('a token whose bodies never end', () => {
  const attacked = attackedIngest();

  it('reserves no room for the bytes that it declares', async () => {
    const canary = await releaseCanary(attacked.ingest);
    const crowd = await announceBodies(attacked.ingest.url, aStranger(), ANNOUNCED);
    await canary.answered(BATCHES);
    const { open = 0, 408: timedOut = 0 } = crowd.tally();
    crowd.leave();

    // None was rejected for want of room. On a busy machine, their time may be up before the batches are answered.
    expect(open + timedOut).to.equal(ANNOUNCED);
    await canary.expectUnharmed();
  });

  it('gets a quarter of the room for the bytes that it sends', async () => {
    const canary = await releaseCanary(attacked.ingest);
    const crowd = await withholdLastBytes(attacked.ingest.url, aStranger(), SENT);
    // Rejected at once, not after a timeout: the other bodies still hold their room.
    const { open = 0 } = await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ 503: rejected = 0, cut = 0 }) => rejected + cut >= SENT - QUARTER,
    );
    await canary.answered(BATCHES);
    crowd.leave();

    expect(open).to.be.greaterThan(0);
    await canary.expectUnharmed();
  });
});
