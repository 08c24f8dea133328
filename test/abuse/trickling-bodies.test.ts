import { expect } from 'chai';
import { releaseCanary } from '../support/canary.ts';
import { aStranger, gatherCrowd } from '../support/crowd.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceProcess } from '../support/process.ts';
import { rawHead } from '../support/raw-http.ts';
import { OTHER_CLIENT_TOKEN, type World, createWorld } from '../support/world.ts';

/** Largest body; of so many declared ones MAX_BYTES_IN_FLIGHT has 655. */
const BODY_BYTES = 102_400;
const CONNECTIONS = 700;
const BATCHES = 50;
const QUARTER_BYTES = 16 * 1024 * 1024;

const HEADERS = {
  Authorization: OTHER_CLIENT_TOKEN,
  'Content-Type': 'application/json',
  'Content-Length': BODY_BYTES,
};
const HEAD = rawHead('/edge/metrics', HEADERS);

describe('a token whose bodies never end', () => {
  let world: World;
  let front: ServiceProcess;

  before(async () => {
    world = await createWorld();
    front = await world.fork('ingest');
  });
  after(() => world.dispose());

  it('holds no room for what it announces', async () => {
    const canary = await releaseCanary(front);
    const crowd = await gatherCrowd(front.url, CONNECTIONS, { request: `${HEAD}{`, from: aStranger() });
    await canary.answered(BATCHES);
    const tally = crowd.tally();
    crowd.leave();

    expect(tally).to.deep.equal({ open: CONNECTIONS });
    await canary.expectUnharmed();
  });

  it('holds a quarter of the room with what it sends', async () => {
    const canary = await releaseCanary(front);
    const request = HEAD + ' '.repeat(BODY_BYTES - 1);
    const crowd = await gatherCrowd(front.url, CONNECTIONS, { request, from: aStranger() });
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
