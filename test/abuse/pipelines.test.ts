import { releaseCanary } from '../support/canary.ts';
import { gatherCrowd } from '../support/crowd.ts';
import type { ServiceProcess } from '../support/process.ts';
import { type World, createWorld } from '../support/world.ts';

/** A script of 1.4 MB that anybody may read. */
const GET = 'GET /docs/openapi/swagger-ui-bundle.js HTTP/1.1\r\nHost: test\r\n\r\n';
const BATCHES = 100;

describe('a stranger who sends requests and never reads an answer', () => {
  let world: World;
  let front: ServiceProcess;

  before(async () => {
    world = await createWorld();
    front = await world.fork('standalone');
  });
  after(() => world.dispose());

  for (const [pipelined, title] of [
    [16, 'as many as a connection may send ahead'],
    [1000, 'and many more'],
  ] as const) {
    it(`costs relays nothing with 30 connections that pipeline the largest answer, ${title}`, async () => {
      const canary = await releaseCanary(front);
      const request = Buffer.from(GET.repeat(pipelined));
      const crowd = await gatherCrowd(front.url, 30, { request, isReading: false });
      await canary.answered(BATCHES);
      crowd.leave();

      await canary.expectUnharmed();
    });
  }
});
