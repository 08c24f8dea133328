import { expect } from 'chai';
import { type OwnUnleash, ownUnleash } from '../support/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { type Fault, type LossyProxy, startLossyProxy } from '../support/proxies/lossy-proxy.ts';
import { watchEvaluations } from '../support/sdks/evaluations.ts';
import { type NodeSdk, startNodeSdk } from '../support/sdks/node-sdk.ts';
import { shuffled } from '../support/stories/replica-faults.ts';
import { describeStory } from '../support/stories/story.ts';
import { CLIENT_TOKEN } from '../support/world.ts';

const FAULTS: readonly Fault[] = ['slow', 'garbage', 'cut', 500, 429];

/** The relays of the load have a token that only Unleash knows. Any answer but 202 and 503 fails the story. */
describeStory('unleash in trouble', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let unleash: OwnUnleash;
  let wire: LossyProxy;
  let fault: Fault;
  let streamingRequests: number;
  const sdks: NodeSdk[] = [];

  before(async () => {
    unleash = await ownUnleash({ production: CLIENT_TOKEN });
    await unleash.createFeature('checkout');
    wire = await startLossyProxy(
      () => unleash.address,
      ({ url }) => {
        if (url === STREAMING) streamingRequests += 1;
        return fault;
      },
    );
  });
  beforeEach(() => {
    fault = 'none';
    streamingRequests = 0;
  });
  afterEach(async () => {
    // First: an SDK that ends while it asks somebody who is gone leaves an unhandled rejection.
    await Promise.all(sdks.splice(0).map((sdk) => sdk.dispose()));
    await closeScenes();
  });
  after(() => {
    wire.close();
  });

  function openScene(): ReturnType<typeof open> {
    return open({ env: { UNLEASH_URL: wire.url, INIT_CLIENT_API_TOKENS: '' } });
  }

  /** Every request gets this fault from now on. */
  async function untilMet(given: Fault): Promise<void> {
    const before = wire.count(given);
    fault = given;
    await eventually(
      () => Promise.resolve(wire.count(given)),
      (count) => count > before,
    );
  }

  /** Without the fault, the SDK gets a new feature. */
  async function expectRecovery(sdk: NodeSdk, feature: string): Promise<void> {
    fault = 'none';
    await unleash.createFeature(feature);
    await eventually(() => Promise.resolve(sdk.isEnabled(feature)), Boolean);
  }

  async function openSdk(url: string): Promise<NodeSdk> {
    const sdk = await startNodeSdk({ url, secret: CLIENT_TOKEN });
    sdks.push(sdk);
    return sdk;
  }

  it(`(${FAULTS.join(', ')}) leaves SDKs evaluating and every count exact and at once`, async () => {
    const scene = await openScene();
    const { url } = scene.cast.ingest;
    const sdk = await openSdk(url);
    const evaluations = watchEvaluations(sdk, 'checkout');
    await rounds(1, async (round) => {
      for (const given of shuffled(FAULTS, random)) {
        await untilMet(given);
        await scene.load.acknowledged(60);
        await expectRecovery(sdk, `after-${given}-${round}`);
        await scene.load.acknowledged(5);
      }
    });

    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
    expect(evaluations.stop()).to.have.property('wrong', 0);
  });

  itNightly('(401) leaves SDKs evaluating until they start again, and every count exact', async () => {
    const scene = await openScene();
    const { url } = scene.cast.ingest;
    const evaluations = watchEvaluations(await openSdk(url), 'checkout');
    await rounds(1, async (round) => {
      // A token whose 401 lasts is rejected, as by Unleash.
      await untilMet(401);
      fault = 'none';
      await expectRecovery(await openSdk(url), `after-401-${round}`);
      await scene.load.acknowledged(5);
    });

    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
    expect(evaluations.stop()).to.have.property('wrong', 0);
  });

  itNightly('(no streaming) gets few requests of a relay that reconnects, and no other waits', async () => {
    const scene = await openScene();
    const { url } = scene.cast.ingest;
    const startedAt = performance.now();
    const statuses: number[] = [];
    await rounds(1, async () => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const answer = await fetch(`${url}${STREAMING}`, { headers: { authorization: CLIENT_TOKEN } });
        await answer.arrayBuffer();
        statuses.push(answer.status);
      }
    });

    expect(statuses).to.deep.equal([404, 404, 404, 404]);
    expect(streamingRequests).to.equal(4);
    expect(performance.now() - startedAt).to.be.greaterThan(8500);
    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
  });
});

const STREAMING = '/api/client/streaming';
