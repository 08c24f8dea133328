import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { countedSums } from '../../support/servers/upstream/counted-sums.ts';
import { sendBatches } from '../../support/servers/upstream/mirrored-load.ts';
import { UnleashSums, totalMeasured, totalYes } from '../../support/servers/upstream/unleash-sums.ts';
import { type Upstream, startUpstream } from '../../support/servers/upstream/upstream.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';

const TOKENS = '*:production.of-unleash-0123456789,*:development.of-unleash-0123456789';
const KILLS = 3;

describe('the mirror', () => {
  const sums = new UnleashSums();
  let upstream: Upstream;
  let world: World;
  let ingest: Service;
  let mirror: ServiceProcess;

  before(async () => {
    upstream = await startUpstream(sums.take);
    world = await createWorld({
      UNLEASH_URL: upstream.url,
      UNLEASH_MIRROR_TOKENS: TOKENS,
      KAFKA_COUNTS_PARTITIONS: '2',
    });
    ingest = await startCounting(world);
    const history = [aFreshMetric({ featureName: 'history', yes: 1000 })];
    await post(ingest, { body: bodyOf({ metrics: history }) });
    mirror = await world.fork('unleash-bridge');
  });
  afterEach(() => {
    upstream.respond = sums.take;
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });

  it('sends counts from its first start on, each batch once, and no history', async () => {
    const counted = await untilMirrored(() => sendBatches(ingest, 10));

    expect(sums.toObject()).to.deep.equal(counted);
  });

  it('recognises a batch after a restart that was sent before and after it', async () => {
    const body = bodyOf({ metrics: [aFreshMetric({ yes: 10_000 })] });
    const send = () => post(ingest, { body, headers: { 'idempotency-key': 'across' } });
    await untilMirrored(async () => {
      await send();
      return 10_000;
    });
    await mirror.stop(); // a killed one may not have recorded the answer
    mirror = await world.fork('unleash-bridge');
    await send();
    const counted = await untilMirrored(() => sendBatches(ingest, 3));

    expect(sums.toObject()).to.deep.equal(counted);
  });

  it('repeats rejected posts, and counts as unanswered those that Unleash may have stored', async () => {
    const before = { unanswered: await unanswered(), silent: sums.unanswered };
    // Each post fails once. If it failed more often, the pauses between its attempts would grow to a quarter of a minute.
    const failed = new Set<string>();
    upstream.respond = (request, response) => {
      if (failed.has(request.body)) {
        sums.take(request, response);
        return;
      }
      const way = failed.size % 3;
      failed.add(request.body);
      if (way === 1) response.writeHead(503).end();
      else if (way === 2) response.writeHead(429, { 'retry-after': '1' }).end();
      else {
        sums.takeSilently(request);
        response.socket?.destroy();
      }
    };
    const counted = await untilMirrored(() => sendBatches(ingest, 4));

    expect(sums.toObject()).to.deep.equal(counted);
    expect(sums.unanswered).to.be.above(before.silent);
    expect((await unanswered()) - before.unanswered).to.equal(sums.unanswered - before.silent);
  });

  it('repeats a post of unknown outcome after a kill, and counts it as unanswered', async () => {
    const before = sums.unanswered;
    let isHeld = false;
    upstream.respond = (request) => {
      sums.takeSilently(request);
      isHeld = true;
    };
    const counted = await untilMirrored(async () => {
      const yes = await sendBatches(ingest, 9);
      await eventually(
        () => Promise.resolve(isHeld),
        (held) => held,
      );
      await mirror.kill();
      upstream.respond = sums.take;
      mirror = await world.fork('unleash-bridge');
      return yes;
    });

    expect(sums.toObject()).to.deep.equal(counted);
    expect(await unanswered()).to.equal(sums.unanswered - before);
  });

  // By day the simulation kills it at every point.
  itNightly('loses nothing if it is killed during a post, and doubles no more than it reports', async () => {
    let admitted = 0;
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = sums.yes;
      await untilMirrored(async () => {
        const yes = await sendBatches(ingest, 6);
        await eventually(
          () => Promise.resolve(sums.yes),
          (now) => now > before,
        );
        await mirror.kill();
        mirror = await world.fork('unleash-bridge');
        return yes;
      });
      admitted += await unanswered();
    }

    const excess = sums.yes - totalYes(await readCounted());
    expect(excess).to.be.at.least(0);
    expect(excess).to.be.at.most(admitted);
  });

  /** The counts of flagmeter since the mirror first started. */
  async function readCounted(): Promise<Record<string, number>> {
    await untilCounted(world);
    const all = Object.entries(await countedSums(world));
    return Object.fromEntries(all.filter(([key]) => !key.includes('history')));
  }

  /** Evaluations that Unleash may have counted twice, according to this process. */
  function unanswered(): Promise<number> {
    return readGauge(mirror, 'flagmeter_mirror_evaluations_total{outcome="unanswered"}');
  }

  /** Waits until Unleash has so many more evaluations, and returns the counts of flagmeter. */
  async function untilMirrored(send: () => Promise<number>): Promise<Record<string, number>> {
    const before = sums.yes;
    const least = before + (await send());
    await eventually(
      () => Promise.resolve(sums.yes),
      (yes) => yes >= least,
    );
    // Impact metrics follow the counts of their messages.
    const counted = await readCounted();
    const measured = totalMeasured(counted);
    await eventually(
      () => Promise.resolve(totalMeasured(sums.toObject())),
      (found) => found >= measured,
    );
    return counted;
  }
});
