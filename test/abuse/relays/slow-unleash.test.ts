import { expect } from 'chai';
import { forkAttacked, releaseCanary } from '../../support/attacks/canary/canary.ts';
import { aStranger, gatherCrowd } from '../../support/attacks/crowd.ts';
import { eventually } from '../../support/eventually.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { type RawUpstream, startRawUpstream } from '../../support/servers/upstream/raw-upstream.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import type { World } from '../../support/world.ts';

const ROOM = 1000;
const BATCHES = 50;
const READERS = 40;
const CHUNK = Buffer.alloc(64 * 1024);
const REQUEST = 'GET /api/client/features HTTP/1.1\r\nHost: test\r\n\r\n';

describe('a stranger with requests for a slow Unleash', () => {
  let upstream: RawUpstream;
  let world: World;
  let front: ServiceProcess;
  before(async () => {
    upstream = await startRawUpstream();
    world = await createUncountedWorld({ UNLEASH_URL: upstream.url, UNLEASH_MAX_REQUESTS: String(ROOM) });
    front = await forkAttacked(world, 'ingest');
  });
  after(async () => {
    await world.dispose();
    await upstream.kill();
  });

  it('takes the room of such requests and none of metrics', async () => {
    upstream.answer(() => undefined);
    const canary = await releaseCanary(front);
    const crowd = await gatherCrowd(front.url, ROOM + 200, { request: REQUEST, from: aStranger() });
    await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ 503: rejected = 0 }) => rejected >= 200,
    );
    await canary.answered(BATCHES);
    crowd.leave();
    await canary.expectUnharmed();
  });

  it('gets little of a long answer held in memory if it reads nothing', async () => {
    let written = 0;
    upstream.answer((_request, response) => {
      const go = (): void => {
        do written += CHUNK.length;
        while (response.write(CHUNK));
      };
      response.on('drain', go);
      go();
    });
    const canary = await releaseCanary(front);
    const request = { request: REQUEST, from: aStranger(), isReading: false };
    const crowd = await gatherCrowd(front.url, READERS, request);
    await canary.answered(BATCHES);
    crowd.leave();
    expect(written).to.be.greaterThan(READERS * CHUNK.length);
    await canary.expectUnharmed();
  });
});
