import { expect } from 'chai';
import { freePort } from '../../tools/stack/index.ts';
import { type OwnUnleash, ownUnleash } from '../support/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { watchEvaluations } from '../support/sdks/evaluations.ts';
import { type NodeSdk, type NodeSdkOptions, startNodeSdk } from '../support/sdks/node-sdk.ts';
import type { SceneOptions } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';
import { CLIENT_TOKEN } from '../support/world.ts';

/** The relays of the load have a token that only Unleash knows. Any answer but 202 and 503 fails the story. */
describeStory('unleash', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let unleash: OwnUnleash;
  let options: SceneOptions & { readonly port: string };
  const sdks: NodeSdk[] = [];
  before(async () => {
    unleash = await ownUnleash({ production: CLIENT_TOKEN });
    await unleash.createFeature('checkout');
    const port = String(await freePort());
    const env = { UNLEASH_URL: unleash.address, INIT_CLIENT_API_TOKENS: '' };
    options = { env, envOf: { ingest: { PORT: port } }, port };
  });
  afterEach(async () => {
    // First: an SDK that ends while it asks somebody who is gone leaves an unhandled rejection.
    await Promise.all(sdks.splice(0).map((sdk) => sdk.dispose()));
    await closeScenes();
    await unleash.revive();
  });

  async function openSdk(given: Pick<NodeSdkOptions, 'url' | 'mode'>): Promise<NodeSdk> {
    const sdk = await startNodeSdk({ ...given, secret: CLIENT_TOKEN });
    sdks.push(sdk);
    return sdk;
  }

  it('frozen and killed leaves SDKs evaluating and every count exact and at once', async () => {
    const scene = await open(options);
    const sdk = await openSdk({ url: scene.cast.ingest.url });
    const evaluations = watchEvaluations(sdk, 'checkout');
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
      const watched = sdks.map((sdk) => watchEvaluations(sdk, 'checkout'));
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

  it('away while flagmeter starts again gets nobody a 401, and everything is counted when it is back', async () => {
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
  });
});
