import { expect } from 'chai';
import { releaseCanary } from '../support/canary.ts';
import { aStranger, gatherCrowd } from '../support/crowd.ts';
import { eventually } from '../support/eventually.ts';
import { readGauge } from '../support/gauges.ts';
import { push } from '../support/load.ts';
import type { ServiceProcess } from '../support/process.ts';
import { type World, createWorld } from '../support/world.ts';

/** A script of 1.4 MB that anybody may read. */
const GET = 'GET /docs/openapi/swagger-ui-bundle.js HTTP/1.1\r\nHost: test\r\n\r\n';
const BATCHES = 100;
const OF_ONE_ADDRESS = 110;
/** Requests for the documentation that one address may send in ten seconds. */
const READS = 100;

describe('a stranger', () => {
  let world: World;
  let front: ServiceProcess;

  before(async () => {
    world = await createWorld({
      REQUEST_TIMEOUT_MS: '2000',
      MAX_CONNECTIONS_PER_ADDRESS: String(OF_ONE_ADDRESS),
    });
    front = await world.fork('standalone');
  });
  after(() => world.dispose());

  for (const [pipelined, title] of [
    [16, 'as many as a connection may send ahead'],
    [1000, 'and many more'],
  ] as const) {
    it(`costs relays nothing with 30 connections that pipeline the largest answer and never read, ${title}`, async () => {
      const canary = await releaseCanary(front);
      const crowd = await gatherCrowd(front.url, 30, {
        request: GET.repeat(pipelined),
        isReading: false,
        from: aStranger(),
      });
      await canary.answered(BATCHES);
      // Before the crowd leaves: its connections are cut.
      await eventually(readConnections, (open) => open < 5);
      crowd.leave();

      await canary.expectUnharmed();
    });
  }

  it('gets its share of connections and no more, and leaves relays theirs', async () => {
    const canary = await releaseCanary(front);
    const crowd = await gatherCrowd(front.url, 3 * OF_ONE_ADDRESS, {
      request: 'GET /health HTTP/1.1\r\nHost: test\r\n\r\n',
      from: aStranger(),
    });
    await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ 200: served = 0, cut = 0 }) => served + cut === 3 * OF_ONE_ADDRESS,
    );
    const tally = crowd.tally();
    const onANewConnection = await push({ url: front.url, body: '{"applications":[],"metrics":[]}' });
    await canary.answered(BATCHES);
    crowd.leave();

    expect(tally).to.deep.equal({ 200: OF_ONE_ADDRESS, cut: 2 * OF_ONE_ADDRESS });
    expect(onANewConnection).to.include({ status: 202 });
    await canary.expectUnharmed();
  });

  it('that asks for the documentation again and again is asked to wait', async () => {
    const canary = await releaseCanary(front);
    const from = aStranger();
    // Without the 1.4 MB of each.
    const request = GET.replace('GET', 'HEAD');
    const crowd = await gatherCrowd(front.url, READS, { request, from });
    await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ open = 0 }) => open === 0,
    );
    const late = await gatherCrowd(front.url, 1, { request: GET, from });
    await eventually(
      () => Promise.resolve(late.tally()),
      ({ open = 0 }) => open === 0,
    );
    const ofAnotherAddress = await fetch(`${front.url}/docs/openapi.json`, { method: 'HEAD' });
    const answers = [crowd.tally(), late.tally()];
    await canary.answered(BATCHES);
    for (const each of [crowd, late]) each.leave();

    expect(answers).to.deep.equal([{ 200: READS }, { 429: 1 }]);
    expect(ofAnotherAddress.status).to.equal(200);
    await canary.expectUnharmed();
  });

  function readConnections(): Promise<number> {
    return readGauge(front, 'flagmeter_http_connections');
  }
});
