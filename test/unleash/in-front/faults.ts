import { expect } from 'chai';
import { freePort } from '../../../tools/stack/index.ts';
import { eventually } from '../../support/eventually.ts';
import { isNight, itNightly } from '../../support/nightly.ts';
import { type Fault, type LossyProxy, startLossyProxy } from '../../support/stack/proxies/lossy-proxy.ts';
import { watchEvaluations } from '../../support/senders/sdks/evaluations.ts';
import { type NodeSdk, type NodeSdkOptions, startNodeSdk } from '../../support/senders/sdks/node-sdk.ts';
import { shuffled } from '../../support/stories/faults/replica-faults.ts';
import type { SceneOptions } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';
import type { Front } from './front.ts';

/** By day `test/integration/ingest/pass-through` has the others, with a server in the place of Unleash. */
const FAULTS: readonly Fault[] = isNight() ? ['slow', 'garbage', 'cut', 500, 429] : ['slow', 'garbage'];
const ONE_PARTITION = isNight() ? {} : { KAFKA_COUNTS_PARTITIONS: '1' };
const STREAMING = '/api/client/streaming';
/** The feature that the SDKs evaluate all the time. */
const WATCHED = 'watched';

/** The relays of the load have a token that only Unleash knows. Any answer but 202 and 503 fails the stories. */
export function tellFaults(front: () => Front): void {
  let unleash: Front['unleash'];
  const sdks: NodeSdk[] = [];
  before(async () => {
    ({ unleash } = front());
    await unleash.createFeature(WATCHED);
    await unleash.untilServed(WATCHED);
  });

  async function openSdk(given: Pick<NodeSdkOptions, 'url' | 'mode'>): Promise<NodeSdk> {
    const sdk = await startNodeSdk({ ...given, secret: CLIENT_TOKEN });
    sdks.push(sdk);
    return sdk;
  }

  /** Before the scenes: an SDK that ends while it asks somebody who is gone leaves an unhandled rejection. */
  async function closeSdks(): Promise<void> {
    await Promise.all(sdks.splice(0).map((sdk) => sdk.dispose()));
  }

  describeStory('unleash in trouble', ({ random, rounds, open, closeScenes, expectHonest }) => {
    let wire: LossyProxy;
    let fault: Fault;
    let streamingRequests: number;

    before(async () => {
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
      await unleash.revive();
      await closeSdks();
      await closeScenes();
    });
    after(() => {
      wire.close();
    });

    function openScene(): ReturnType<typeof open> {
      const env = { UNLEASH_URL: wire.url, INIT_CLIENT_API_TOKENS: '', ...ONE_PARTITION };
      return open({ env, onlookers: 'at night' });
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

    it(`(${FAULTS.join(', ')}, frozen) leaves SDKs evaluating and every count exact and at once`, async () => {
      const scene = await openScene();
      const { url } = scene.cast.ingest;
      const sdk = await openSdk({ url });
      const evaluations = watchEvaluations(sdk, WATCHED);
      await rounds(1, async (round) => {
        for (const given of shuffled(FAULTS, random)) {
          await untilMet(given);
          await scene.load.acknowledged(20);
          await expectRecovery(sdk, `after-${given}-${round}`);
          await scene.load.acknowledged(5);
        }
        await unleash.freeze();
        await scene.load.acknowledged(random.between(20, 60));
        unleash.thaw();
        await expectRecovery(sdk, `after-frost-${round}`);
      });

      const { acknowledged, requests } = await expectHonest(scene);
      expect(acknowledged).to.equal(requests);
      expect(evaluations.stop()).to.have.property('wrong', 0);
    });

    itNightly('(401) leaves SDKs evaluating until they start again, and every count exact', async () => {
      const scene = await openScene();
      const { url } = scene.cast.ingest;
      const evaluations = watchEvaluations(await openSdk({ url }), WATCHED);
      await rounds(1, async (round) => {
        // A token whose 401 lasts is rejected, as by Unleash.
        await untilMet(401);
        fault = 'none';
        await expectRecovery(await openSdk({ url }), `after-401-${round}`);
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

  describeStory('unleash', ({ random, rounds, open, closeScenes, expectHonest }) => {
    let options: SceneOptions & { readonly port: string };
    before(async () => {
      const port = String(await freePort());
      const env = { UNLEASH_URL: unleash.address, INIT_CLIENT_API_TOKENS: '' };
      options = { env, envOf: { ingest: { PORT: port } }, port };
    });
    afterEach(async () => {
      await closeSdks();
      await closeScenes();
      await unleash.revive();
    });

    itNightly('frozen and killed leaves SDKs evaluating and every count exact and at once', async () => {
      const scene = await open(options);
      const sdk = await openSdk({ url: scene.cast.ingest.url });
      const evaluations = watchEvaluations(sdk, WATCHED);
      await rounds(1, async (round) => {
        await unleash.freeze();
        await scene.load.acknowledged(random.between(20, 60));
        unleash.thaw();
        await scene.load.acknowledged(5);
        await unleash.kill();
        await scene.load.acknowledged(random.between(20, 60));
        await unleash.restart();
        await unleash.createFeature(`after-round-${round}`);
        await eventually(() => Promise.resolve(sdk.isEnabled(`after-round-${round}`)), Boolean);
      });

      const { acknowledged, requests } = await expectHonest(scene);
      expect(acknowledged).to.equal(requests);
      expect(evaluations.stop()).to.have.property('wrong', 0);
    });

    itNightly(
      'in front of it, flagmeter killed under load leaves SDKs evaluating and every count exact',
      async () => {
        const scene = await open(options);
        const { url } = scene.cast.ingest;
        for (const mode of ['polling', 'streaming'] as const) await openSdk({ url, mode });
        const watched = sdks.map((sdk) => watchEvaluations(sdk, WATCHED));
        await rounds(1, async (round) => {
          await scene.load.acknowledged(random.between(5, 60));
          await scene.cast.ingest.kill();
          await scene.replace('ingest', { env: { PORT: options.port } });
          await scene.load.acknowledged(5);
          await unleash.createFeature(`after-kill-${round}`);
          await eventually(
            () => Promise.resolve(sdks.map((sdk) => sdk.isEnabled(`after-kill-${round}`))),
            (seen) => !seen.includes(false),
          );
        });

        await expectHonest(scene);
        for (const evaluations of watched) expect(evaluations.stop()).to.have.property('wrong', 0);
      },
    );

    itNightly(
      'away while flagmeter starts again gets nobody a 401, and everything is counted when it is back',
      async () => {
        const scene = await open(options);
        await rounds(1, async () => {
          await unleash.kill();
          await scene.load.acknowledged(5);
          await scene.cast.ingest.kill();
          await scene.replace('ingest', { env: { PORT: options.port } });
          const before = scene.ledger.count('rejected');
          await eventually(
            () => Promise.resolve(scene.ledger.count('rejected')),
            (rejected) => rejected > before + 5,
          );
          await unleash.restart();
          await scene.load.acknowledged(10);
        });

        await expectHonest(scene);
      },
    );
  });
}
