import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { eventually } from '../../support/eventually.ts';
import { readGauge } from '../../support/stack/processes/gauges.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { countedSums } from '../../support/servers/upstream/counted-sums.ts';
import { sendBatches } from '../../support/servers/upstream/mirrored-load.ts';
import { UnleashSums } from '../../support/servers/upstream/unleash-sums.ts';
import { type Upstream, startUpstream } from '../../support/servers/upstream/upstream.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';
import { itByTurns } from '../../support/nightly.ts';

/** The time for which a post waits for its answer. */
const POST_TIMEOUT_MS = 15_000;
const SECRET = '*:production.of-unleash-0123456789';

const itInTurn = itByTurns(2);

describe('the mirror while Unleash fails', () => {
  const sums = new UnleashSums();
  let upstream: Upstream;
  let world: World;
  let ingest: Service;
  let mirror: ServiceProcess;

  before(async () => {
    upstream = await startUpstream(sums.take);
    world = await createWorld({
      UNLEASH_URL: upstream.url,
      UNLEASH_MIRROR_TOKENS: SECRET,
      KAFKA_COUNTS_PARTITIONS: '1',
      KAFKA_APPLICATIONS_PARTITIONS: '1',
    });
    [ingest, mirror] = await Promise.all([startCounting(world), world.fork('unleash-bridge')]);
  });
  afterEach(() => {
    upstream.respond = sums.take;
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });

  /** Unleash stops answering. Resolves when it has been asked about new batches. */
  async function askWhileFrozen(batches: number): Promise<void> {
    upstream.respond = () => undefined;
    const asked = upstream.requests.length;
    await sendBatches(ingest, batches);
    await eventually(
      () => Promise.resolve(upstream.requests.length),
      (now) => now > asked,
    );
  }

  itInTurn(
    'sends nothing of an environment without a token, and counts the omitted evaluations',
    async () => {
      await sendBatches(ingest, 6);
      const mirrored = await untilMirrored();

      expect(mirrored).to.include('production').and.not.include('development');
      expect(await read('left_out_total{kind="counts",reason="no_token"}')).to.be.above(0);
    },
  );

  itInTurn('does not delay counting while Unleash is frozen, and reports its lag', async () => {
    await askWhileFrozen(3);
    await sendBatches(ingest, 10);
    await untilCounted(world);

    expect(await read('delay_seconds{topic="TOPIC"}')).to.be.above(0);
    upstream.respond = sums.take;
    await untilMirrored();
    expect(
      await read('failed_attempts_total{kind="counts",environment="production",reason="unanswered"}'),
    ).to.be.above(0);
    await eventually(
      () => read('delay_seconds{topic="TOPIC"}'),
      (delay) => delay === 0,
    );
  });

  itInTurn('waits while Unleash rejects its token, and continues when Unleash accepts it', async () => {
    upstream.respond = (_request, response) => {
      response.writeHead(401).end('{"message":"no"}');
    };
    const reason = 'failed_attempts_total{kind="counts",environment="production",reason="token"}';
    await sendBatches(ingest, 2);
    await eventually(
      () => read(reason),
      (attempts) => attempts > 0,
    );
    expect(await mirror.readLog())
      .to.include('correct UNLEASH_MIRROR_TOKENS')
      .and.not.include(SECRET);
    upstream.respond = sums.take;
    await untilMirrored();

    expect(await read(reason)).to.be.at.most(2);
  });

  itInTurn('gives up posts that Unleash rejects, and sends the following ones', async () => {
    upstream.respond = (_request, response) => {
      response.writeHead(413).end();
    };
    const rejected = 'evaluations_total{outcome="rejected"}';
    await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ featureName: 'lost', yes: 9 })] }) });
    await eventually(
      () => read(rejected),
      (evaluations) => evaluations === 9,
    );
    upstream.respond = sums.take;
    await sendBatches(ingest, 2);
    await untilMirrored();

    expect(await read(rejected)).to.equal(9);
    expect(JSON.stringify(sums.toObject())).to.not.include('lost');
  });

  itInTurn('sends applications in the form that Unleash accepts, and each only once', async () => {
    const applications = [
      { appName: 'bare' },
      { appName: 'edge', instanceId: null, interval: null, started: null, sdkVersion: null, sdkType: null },
      {
        appName: 'full',
        instanceId: 'i',
        interval: 15_000,
        sdkVersion: 'node:1',
        sdkType: 'backend',
        projects: ['p'],
        strategies: ['s'],
      },
      { appName: 'odd', sdkType: 'something' },
    ].map((application) => ({ ...application, environment: 'production' }));
    for (let push = 0; push < 2; push += 1) {
      await post(ingest, { body: bodyOf({ applications }) });
      await eventually(
        () => Promise.resolve(sums.apps.size),
        (apps) => apps === applications.length,
      );
    }
    await post(ingest, { body: bodyOf({ applications: [{ appName: 'last', environment: 'production' }] }) });
    await eventually(
      () => Promise.resolve(sums.apps.has('last')),
      (has) => has,
    );

    const items = upstream.requests.flatMap(
      ({ body }) => (JSON.parse(body) as { applications: Item[] }).applications,
    );
    expect(items.map(({ appName }) => appName).sort()).to.deep.equal(['bare', 'edge', 'full', 'last', 'odd']);
    for (const item of items) {
      expect(item.started).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect(item).to.include.keys('instanceId', 'interval');
      expect(Object.values(item)).to.not.include(null);
    }
    expect(items.find(({ appName }) => appName === 'full')).to.deep.include({
      environment: 'production',
      instanceId: 'i',
      interval: 15_000,
      sdkVersion: 'node:1',
      sdkType: 'backend',
      projects: ['p'],
      strategies: ['s'],
    });
    expect(items.find(({ appName }) => appName === 'odd')).to.not.have.property('sdkType');
  });

  itInTurn('stops while Unleash is frozen, and omits nothing', async () => {
    await askWhileFrozen(2);
    const stoppedAt = performance.now();
    expect(await mirror.stop()).to.equal(0);
    expect(performance.now() - stoppedAt).to.be.below(POST_TIMEOUT_MS);
    upstream.respond = sums.take;
    mirror = await world.fork('unleash-bridge');
    await untilMirrored();
  });

  type Item = { readonly appName: string; readonly started: string };

  const countOf = (some: UnleashSums): string => JSON.stringify(some.toObject());

  /** Waits until Unleash has exactly what flagmeter has counted for it, and returns that as text. */
  async function untilMirrored(): Promise<string> {
    await untilCounted(world);
    const all = Object.entries(await countedSums(world));
    const counted = JSON.stringify(
      Object.fromEntries(all.filter(([key]) => key.includes('production') && !key.includes('lost'))),
    );
    return eventually(
      () => Promise.resolve(countOf(sums)),
      (mirrored) => mirrored === counted,
    );
  }

  function read(name: string): Promise<number> {
    return readGauge(mirror, `flagmeter_mirror_${name.replace('TOPIC', world.config.kafka.topics.counts)}`);
  }
});
