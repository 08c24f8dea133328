import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { prepareCollector, preparePython } from '../../../tools/stack/index.ts';
import { createRandom } from '../../support/builders/random.ts';
import { type OwnCollector, ownCollector } from '../../support/stack/engines/collector.ts';
import { describeNightly } from '../../support/nightly.ts';
import {
  EvaluationLedger,
  reasonsOfApplication,
  usageOfApplication,
  withoutVariants,
} from '../../support/senders/sdks/openfeature/openfeature-evaluations.ts';
import {
  startOpenFeatureSdk,
  startOpenFeatureWebSdk,
} from '../../support/senders/sdks/openfeature/openfeature-sdk.ts';
import { startPythonSdk } from '../../support/senders/sdks/python-sdk.ts';
import { type LossyDoor, openLossyDoor } from '../../support/stories/faults/lossy-door.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';

describeNightly(
  'a real OpenTelemetry Collector between SDKs of OpenFeature and flagmeter, whose answers are lost',
  () => {
    let door: LossyDoor;
    let collector: OwnCollector;
    const random = createRandom(Number(process.env['SEED'] ?? 1));
    before(async function () {
      this.timeout(3_600_000); // the first run builds the Collector
      await Promise.all([prepareCollector(), preparePython()]);
      door = await openLossyDoor();
    });
    beforeEach(async () => {
      collector = await ownCollector(door.url, CLIENT_TOKEN);
      door.misbehave();
    });
    after(() => door.dispose());

    /** Kills ingest and worker, then lets the Collector send the rest: its last batch may be too small to be recognised. */
    const killAndFinish = async (): Promise<void> => {
      await sleep(random.between(0, 600));
      await Promise.all([door.killIngest(), door.killWorker()]);
      await door.behave();
      await collector.dispose();
      await door.world.settled();
    };

    for (const [what, start] of [
      ['for servers', startOpenFeatureSdk],
      ['for browsers', startOpenFeatureWebSdk],
    ] as const)
      it(`sends on the log records of the SDK ${what} once each`, async () => {
        const appName = `collected ${what}`;
        const sdk = await start({
          url: collector.url,
          secret: CLIENT_TOKEN,
          sender: 'protobuf records',
          appName,
        });
        const ledger = new EvaluationLedger();
        const lostBefore = door.lostAnswers();
        await ledger.evaluateAll(sdk, 200);
        await sdk.flush();
        await sdk.dispose();
        await killAndFinish();
        expect(await usageOfApplication(door.world, appName)).to.deep.equal(ledger.usage);
        expect(await reasonsOfApplication(door.world, appName)).to.deep.equal(ledger.reasons);
        expect(door.lostAnswers()).to.be.greaterThan(lostBefore);
      });

    it('sends on the span events of the SDK for Python once each', async () => {
      const appName = 'collected-python';
      const sdk = startPythonSdk({ url: collector.url, secret: CLIENT_TOKEN, appName });
      const ledger = await sdk.evaluateAll(900);
      await sdk.finish();
      await killAndFinish();
      expect(await usageOfApplication(door.world, appName)).to.deep.equal(ledger.usage);
      expect(await reasonsOfApplication(door.world, appName)).to.deep.equal(ledger.reasons);
    });

    it('makes deltas of cumulative counters, each of which counts once', async () => {
      const appName = 'collected-counters';
      const sdk = await startOpenFeatureSdk({
        url: collector.url,
        secret: CLIENT_TOKEN,
        sender: 'cumulative counters',
        appName,
      });
      const ledger = new EvaluationLedger();
      for (let round = 0; round < 12; round += 1) {
        await ledger.evaluateAll(sdk, 20);
        await sdk.flush();
      }
      await sdk.dispose();
      await killAndFinish();
      expect(withoutVariants(await usageOfApplication(door.world, appName))).to.deep.equal(
        withoutVariants(ledger.usage),
      );
    });

    it('counts log records with its connector, and each count counts once', async () => {
      const appName = 'collected-counts';
      const sdk = await startOpenFeatureSdk({
        url: collector.countingUrl,
        secret: CLIENT_TOKEN,
        sender: 'protobuf records',
        appName,
      });
      const ledger = new EvaluationLedger();
      await ledger.evaluateAll(sdk, 400);
      await sdk.flush();
      await sdk.dispose();
      await killAndFinish();
      expect(await usageOfApplication(door.world, appName)).to.deep.equal(ledger.usage);
      expect(await reasonsOfApplication(door.world, appName)).to.deep.equal(ledger.reasons);
    });

    it('repeated batches that flagmeter had stored', async () => {
      const { total } = await door.world.settled();
      expect(total.duplicate).to.be.greaterThan(0);
    });
  },
);
