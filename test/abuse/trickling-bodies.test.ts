import { expect } from 'chai';
import { attackedIngest } from '../support/attacks/attacked-ingest.ts';
import { BODY_BYTES, announceBodies, withholdLastBytes } from '../support/attacks/client-tokens.ts';
import { releaseCanary } from '../support/canary.ts';
import { aStranger } from '../support/crowd.ts';
import { eventually } from '../support/eventually.ts';

const CONNECTIONS = 700;
const BATCHES = 50;
const QUARTER_BYTES = 16 * 1024 * 1024;

describe('a token whose bodies never end', () => {
  const attacked = attackedIngest();

  it('holds no room for what it announces', async () => {
    const canary = await releaseCanary(attacked.front);
    const crowd = await announceBodies(attacked.front.url, aStranger(), CONNECTIONS);
    await canary.answered(BATCHES);
    const tally = crowd.tally();
    crowd.leave();

    expect(tally).to.deep.equal({ open: CONNECTIONS });
    await canary.expectUnharmed();
  });

  it('holds a quarter of the room with what it sends', async () => {
    const canary = await releaseCanary(attacked.front);
    const crowd = await withholdLastBytes(attacked.front.url, aStranger(), CONNECTIONS);
    const { open = 0 } = await eventually(
      () => Promise.resolve(crowd.tally()),
      (tally) => (tally['open'] ?? 0) * BODY_BYTES <= QUARTER_BYTES,
    );
    await canary.answered(BATCHES);
    crowd.leave();

    expect(open).to.be.greaterThan(0);
    await canary.expectUnharmed();
  });
});
