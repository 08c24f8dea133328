import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { preparePython } from '../../../tools/stack/index.ts';
import { createRandom } from '../../support/builders/random.ts';
import { itNightly } from '../../support/nightly.ts';
import {
  reasonsOfApplication,
  usageOfApplication,
  withoutVariants,
} from '../../support/senders/sdks/openfeature/openfeature-evaluations.ts';
import { startPythonSdk } from '../../support/senders/sdks/python-sdk.ts';
import { type LossyDoor, openLossyDoor } from '../../support/stories/faults/lossy-door.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';

describe('the SDK of OpenFeature for Python, whose flags are a file of flagd', () => {
  let door: LossyDoor;
  const random = createRandom(Number(process.env['SEED'] ?? 1));
  before(async function () {
    this.timeout(600_000); // the first run installs it
    await preparePython();
    door = await openLossyDoor();
  });
  after(() => door.dispose());

  itNightly(
    'is counted to the last evaluation of its span events, through lost answers and kills of ingest and worker',
    async () => {
      const appName = 'python';
      const sdk = startPythonSdk({ url: door.url, secret: CLIENT_TOKEN, appName, timeoutMs: 60_000 });
      for (let round = 0; round < 2; round += 1) {
        await sdk.evaluateAll(100);
        await sleep(random.between(0, 600));
        await door.killIngest();
      }
      await door.killWorker();
      const ledger = await sdk.evaluateAll(100);
      await sdk.finish();
      const { total } = await door.world.settled();
      expect(await usageOfApplication(door.world, appName)).to.deep.equal(ledger.usage);
      expect(await reasonsOfApplication(door.world, appName)).to.deep.equal(ledger.reasons);
      expect(total.duplicate).to.be.greaterThan(0);
    },
  );

  itNightly(
    'is counted to the last evaluation that did not fail, with the hook of version 0.1.3',
    async () => {
      const appName = 'python-older';
      const sdk = startPythonSdk({ url: door.url, secret: CLIENT_TOKEN, appName, isOlder: true });
      const ledger = await sdk.evaluateAll(100);
      await sdk.finish();
      await door.world.settled();
      const usage = await usageOfApplication(door.world, appName);
      expect(withoutVariants(usage)).to.deep.equal(withoutVariants(ledger.successes));
    },
  );
});
