import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { createRandom } from '../../support/builders/random.ts';
import type { ServiceProcess } from '../../support/processes/process.ts';
import { type Fault, type LossyProxy, startLossyProxy } from '../../support/proxies/lossy-proxy.ts';
import {
  EvaluationLedger,
  usageOfApplication,
  withoutVariants,
} from '../../support/sdks/openfeature-evaluations.ts';
import { startOpenFeatureSdk } from '../../support/sdks/openfeature-sdk.ts';
import { CLIENT_TOKEN, type World, createWorld } from '../../support/world.ts';

/** What happens to one request after the other, again and again. An exporter gives up after six tries, so some must arrive. */
const FAULTS: readonly Fault[] = ['cut', 503, 'none', 429, 'cut', 'none'];

describe('the SDK of OpenFeature, whose exporter repeats requests', () => {
  let world: World;
  /** The first one gets the requests. */
  let ingests: [ServiceProcess, ServiceProcess];
  let worker: ServiceProcess;
  let proxy: LossyProxy;
  const random = createRandom(Number(process.env['SEED'] ?? 1));
  let requests = 0;

  before(async () => {
    world = await createWorld();
    ingests = await Promise.all([world.fork('ingest'), world.fork('ingest')]);
    worker = await world.fork('worker');
    proxy = await startLossyProxy(
      () => ingests[0].url,
      () => FAULTS[requests++ % FAULTS.length] ?? 'none',
    );
  });
  after(async () => {
    proxy.close();
    await world.dispose();
  });

  for (const sender of ['protobuf records', 'JSON records'] as const)
    it(`is counted to the last evaluation of its ${sender}, through lost answers and kills of ingest`, async () => {
      const appName = `lossy-${sender.replace(' ', '-')}`;
      const sdk = await startOpenFeatureSdk({
        ...{ url: proxy.url, secret: CLIENT_TOKEN, sender, appName, timeoutMs: 60_000 },
      });
      const ledger = new EvaluationLedger();
      const cutBefore = proxy.count('cut');
      for (let round = 0; round < 2; round += 1) {
        await ledger.evaluateAll(sdk, 60);
        await sleep(random.between(0, 600));
        // An exporter gives up before a process has started again, so another one is there.
        const [doomed, other] = ingests;
        ingests = [other, doomed];
        await doomed.kill();
        ingests = [other, await world.fork('ingest')];
      }
      await ledger.evaluateAll(sdk, 60);
      await sdk.flush();
      await sdk.dispose();
      await world.settled();
      expect(await usageOfApplication(world, appName)).to.deep.equal(ledger.usage);
      expect(proxy.count('cut')).to.be.greaterThan(cutBefore);
    });

  it('is counted to the last evaluation of its cumulative counters, through lost answers and kills of ingest and worker', async () => {
    const appName = 'lossy-counters';
    const sdk = await startOpenFeatureSdk({
      ...{ url: proxy.url, secret: CLIENT_TOKEN, sender: 'cumulative counters', appName, timeoutMs: 60_000 },
    });
    const ledger = new EvaluationLedger();
    for (let round = 0; round < 3; round += 1) {
      await ledger.evaluateAll(sdk, 40);
      await sdk.flush();
      const [doomed, other] = ingests;
      ingests = [other, doomed];
      await Promise.all([doomed.kill(), sleep(random.between(0, 600)).then(() => worker.kill())]);
      ingests = [other, await world.fork('ingest')];
      worker = await world.fork('worker');
    }
    await ledger.evaluateAll(sdk, 40);
    await sdk.flush();
    await sdk.dispose();
    await world.settled(120_000);
    const usage = withoutVariants(await usageOfApplication(world, appName));
    expect(usage).to.deep.equal(withoutVariants(ledger.usage));
  });

  it('is counted once where the repetition of a stored request arrived', async () => {
    const { total } = await world.settled();
    expect(total.duplicate).to.be.greaterThan(0);
  });
});
