import { expect } from 'chai';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { describeNightly, itNightly } from '../../../support/nightly.ts';
import {
  EvaluationLedger,
  reasonsOfApplication,
  usageOfApplication,
  withoutVariants,
} from '../../../support/senders/sdks/openfeature/openfeature-evaluations.ts';
import { createOlderHook } from '../../../support/senders/sdks/openfeature/older-hooks.ts';
import { prepareOlderSdks } from '../../../../tools/stack/index.ts';
import {
  startOpenFeatureSdk,
  startOpenFeatureWebSdk,
} from '../../../support/senders/sdks/openfeature/openfeature-sdk.ts';
import { sharedCounting } from '../../../support/stories/counting.ts';
import { CLIENT_TOKEN, sharedWorld } from '../../../support/world.ts';

describe('the SDK of OpenFeature', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  after(() => world.settled());

  for (const [test, sender] of [
    // Before other traces, because its hook keeps the first provider of a process.
    [itNightly, 'spans'],
    [it, 'protobuf records'],
    [itNightly, 'JSON records'],
    [itNightly, 'span events'],
  ] as const)
    test(`is counted to the last evaluation by its ${sender}`, async () => {
      const appName = sender.replace(' ', '-');
      const sdk = await startOpenFeatureSdk({
        url: ingest.url,
        secret: CLIENT_TOKEN,
        sender,
        appName,
        // The first body of a process may wait for its compiler.
        timeoutMs: 60_000,
      });
      const ledger = new EvaluationLedger();
      await ledger.evaluateAll(sdk, 300);
      await sdk.flush();
      await sdk.dispose();
      await untilCounted(world);
      expect(await usageOfApplication(world, appName)).to.deep.equal(ledger.usage);
      expect(await reasonsOfApplication(world, appName)).to.deep.equal(ledger.reasons);
    });

  it('is counted to the last evaluation in its form for browsers', async () => {
    const appName = 'web';
    const sdk = await startOpenFeatureWebSdk({
      url: ingest.url,
      secret: CLIENT_TOKEN,
      sender: 'protobuf records',
      appName,
    });
    const ledger = new EvaluationLedger();
    await ledger.evaluateAll(sdk, 100);
    await sdk.flush();
    await sdk.dispose();
    await untilCounted(world);
    expect(await usageOfApplication(world, appName)).to.deep.equal(ledger.usage);
    expect(await reasonsOfApplication(world, appName)).to.deep.equal(ledger.reasons);
  });

  for (const [test, sender] of [
    [it, 'counters'],
    [itNightly, 'cumulative counters'],
  ] as const)
    test(`is counted to the last evaluation by its ${sender}`, async () => {
      const appName = sender.replace(' ', '-');
      const sdk = await startOpenFeatureSdk({ url: ingest.url, secret: CLIENT_TOKEN, sender, appName });
      const ledger = new EvaluationLedger();
      for (let i = 0; i < 3; i += 1) {
        await ledger.evaluateAll(sdk, 100);
        await sdk.flush();
      }
      await sdk.dispose();
      await untilCounted(world);
      expect(withoutVariants(await usageOfApplication(world, appName))).to.deep.equal(
        withoutVariants(ledger.usage),
      );
    });

  describeNightly('with older hooks', () => {
    before(async function () {
      this.timeout(600_000); // the first run installs them
      await prepareOlderSdks();
    });

    for (const { version, sender, hook, counted } of [
      { version: '0.4.0', sender: 'counters', hook: 'MetricsHook', counted: 'usage' },
      { version: '0.4.0', sender: 'span events', hook: 'TracingHook', counted: 'successes' },
      { version: '0.2.4', sender: 'counters', hook: 'MetricsHook', counted: 'usage' },
      { version: '0.2.4', sender: 'span events', hook: 'TracingHook', counted: 'successes' },
    ] as const)
      it(`is counted by the ${sender} of version ${version}: ${counted}`, async () => {
        const appName = `${sender.replace(' ', '-')}-${version}`;
        const createHook = () => createOlderHook(version, hook);
        const sdk = await startOpenFeatureSdk({
          url: ingest.url,
          secret: CLIENT_TOKEN,
          sender,
          appName,
          createHook,
        });
        const ledger = new EvaluationLedger();
        await ledger.evaluateAll(sdk, 100);
        await sdk.flush();
        await sdk.dispose();
        await untilCounted(world);
        expect(withoutVariants(await usageOfApplication(world, appName))).to.deep.equal(
          withoutVariants(ledger[counted]),
        );
      });
  });
});
