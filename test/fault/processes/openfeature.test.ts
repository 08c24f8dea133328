import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createRandom } from '../../support/builders/random.ts';
import { isNight, itNightly } from '../../support/nightly.ts';
import {
  EvaluationLedger,
  usageOfApplication,
  withoutVariants,
} from '../../support/senders/sdks/openfeature/openfeature-evaluations.ts';
import { startOpenFeatureSdk } from '../../support/senders/sdks/openfeature/openfeature-sdk.ts';
import { type LossyDoor, openLossyDoor } from '../../support/stories/faults/lossy-door.ts';
import { CLIENT_TOKEN } from '../../support/world.ts';

const SENDERS = ['protobuf records' as const, ...(isNight() ? ['JSON records' as const] : [])];

describe('the SDK of OpenFeature, whose exporter repeats requests', () => {
  let door: LossyDoor;
  const random = createRandom(Number(process.env['SEED'] ?? 1));
  before(async () => {
    door = await openLossyDoor();
  });
  after(() => door.dispose());

  for (const sender of SENDERS)
    it(`is counted to the last evaluation of its ${sender}, through lost answers and kills of ingest`, async () => {
      const appName = `lossy-${sender.replace(' ', '-')}`;
      const sdk = await startOpenFeatureSdk({
        url: door.url,
        secret: CLIENT_TOKEN,
        sender,
        appName,
        timeoutMs: 60_000,
      });
      const ledger = new EvaluationLedger();
      const lostBefore = door.lostAnswers();
      for (let round = 0; round < (isNight() ? 2 : 1); round += 1) {
        await ledger.evaluateAll(sdk, 60);
        await sleep(random.between(0, 600));
        await door.killIngest();
      }
      await ledger.evaluateAll(sdk, 60);
      await sdk.flush();
      await sdk.dispose();
      await door.world.settled();
      expect(await usageOfApplication(door.world, appName)).to.deep.equal(ledger.usage);
      expect(door.lostAnswers()).to.be.greaterThan(lostBefore);
    });

  itNightly('is counted to the last evaluation of its cumulative counters, also through kills', async () => {
    const appName = 'lossy-counters';
    const sdk = await startOpenFeatureSdk({
      url: door.url,
      secret: CLIENT_TOKEN,
      sender: 'cumulative counters',
      appName,
      timeoutMs: 60_000,
    });
    const ledger = new EvaluationLedger();
    for (let round = 0; round < 3; round += 1) {
      await ledger.evaluateAll(sdk, 40);
      await sdk.flush();
      await Promise.all([door.killIngest(), sleep(random.between(0, 600)).then(() => door.killWorker())]);
    }
    await ledger.evaluateAll(sdk, 40);
    await sdk.flush();
    await sdk.dispose();
    await door.world.settled();
    const usage = withoutVariants(await usageOfApplication(door.world, appName));
    expect(usage).to.deep.equal(withoutVariants(ledger.usage));
  });

  it('is counted once where the repetition of a stored request arrived', async () => {
    const { total } = await door.world.settled();
    expect(total.duplicate).to.be.greaterThan(0);
  });
});
