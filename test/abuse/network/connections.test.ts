import { expect } from 'chai';
import { forkAttacked, releaseCanary } from '../../support/attacks/canary/canary.ts';
import { aStranger } from '../../support/attacks/crowd.ts';
import { askForDocumentation, keepConnections, readNothing } from '../../support/attacks/strangers.ts';
import { eventually } from '../../support/eventually.ts';
import { isNight } from '../../support/nightly.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { PATIENCE_MS, push } from '../../support/stories/load.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';

const BATCHES = 50;
const OF_ONE_ADDRESS = 110;
/** Requests for the documentation that one address may send in ten seconds. */
const READS = 100;

const PIPELINED = [[9, 'as many as a connection may pipeline']] as const;
const MORE = [[1000, 'and many more']] as const;

describe('a stranger', () => {
  const world = sharedUncountedWorld({
    REQUEST_TIMEOUT_MS: '6000',
    MAX_CONNECTIONS_PER_ADDRESS: String(OF_ONE_ADDRESS),
  });
  let standalone: ServiceProcess;

  before(async () => {
    standalone = await forkAttacked(world, 'standalone');
  });

  for (const [pipelined, title] of isNight() ? [...PIPELINED, ...MORE] : PIPELINED) {
    it(`costs relays nothing with 30 connections that pipeline requests for the largest answer and never read, ${title}`, async () => {
      const canary = await releaseCanary(standalone);
      const crowd = await readNothing(standalone.url, aStranger(), pipelined);
      await canary.answered(BATCHES);
      // Before the crowd leaves, because its connections are then cut.
      await eventually(readConnections, (open) => open < 5);
      crowd.leave();

      await canary.expectUnharmed();
    });
  }

  it('gets no more than its quota of connections, and leaves relays theirs', async () => {
    const canary = await releaseCanary(standalone);
    const crowd = await keepConnections(standalone.url, aStranger(), 3 * OF_ONE_ADDRESS);
    await eventually(
      () => Promise.resolve(crowd.tally()),
      ({ open = 0 }) => open === 0,
    );
    // On a busy machine, one that gets no place may get 408 before it is cut.
    const { 200: served = 0, 408: late = 0, cut = 0 } = crowd.tally();
    const body = '{"applications":[],"metrics":[]}';
    const onANewConnection = await push({ url: standalone.url, body, timeoutMs: PATIENCE_MS });
    await canary.answered(BATCHES);
    crowd.leave();

    expect([served, late + cut]).to.deep.equal([OF_ONE_ADDRESS, 2 * OF_ONE_ADDRESS]);
    expect(onANewConnection).to.include({ status: 202 });
    await canary.expectUnharmed();
  });

  it('gets 429 when it requests the documentation again and again', async () => {
    const canary = await releaseCanary(standalone);
    const from = aStranger();
    const ask = async (): Promise<Readonly<Record<string, number>>> => {
      const crowd = await askForDocumentation(standalone.url, from, READS);
      await eventually(
        () => Promise.resolve(crowd.tally()),
        ({ open = 0 }) => open === 0,
      );
      const answers = crowd.tally();
      crowd.leave();
      return answers;
    };
    const first = await ask();
    // On a busy machine the ten seconds may be over before the second time.
    const late = await eventually(ask, (answers) => answers['429'] !== undefined);
    const ofAnotherAddress = await fetch(`${standalone.url}/docs/openapi.json`, { method: 'HEAD' });
    await canary.answered(BATCHES);

    expect(first).to.deep.equal({ 200: READS });
    expect(late).to.have.property('429').that.is.greaterThan(0);
    expect(ofAnotherAddress.status).to.equal(200);
    await canary.expectUnharmed();
  });

  function readConnections(): Promise<number> {
    return readGauge(standalone, 'flagmeter_http_connections');
  }
});
