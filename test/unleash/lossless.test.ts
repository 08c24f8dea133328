import { createRandom } from '../support/builders/random.ts';
import type { OwnUnleash } from '../support/engines/unleash.ts';
import { sendAsSdks } from '../support/sdks/send-as-sdks.ts';
import { type Twins, itAnswersAlike, openTwins } from '../support/upstream/twins.ts';
import { createRelay } from '#traffic';

describe('an Unleash behind flagmeter', () => {
  let twins: Twins;
  before(async function () {
    this.timeout(300_000); // it may wait for the next hour
    twins = await openTwins();
    await sendTraffic(twins.direct.address, twins.direct);
    await sendTraffic(twins.flagmeter, twins.behind);
  });
  after(() => twins.dispose());

  itAnswersAlike(() => twins, {
    'usage of features': 3,
    applications: 3,
    instances: 2,
    'series of impact metrics': 10,
    // All but that of development.
    'tokens that were used': 4,
    'unknown features': 1,
  });

  /** What one day sends: a server, a browser, and a relay in front of other SDKs. */
  async function sendTraffic(url: string, unleash: OwnUnleash): Promise<void> {
    await sendAsSdks(url, unleash.secrets);
    await pushAsRelay(url, unleash);
  }

  async function pushAsRelay(url: string, unleash: OwnUnleash): Promise<void> {
    const tokens = { production: unleash.secrets.production };
    const random = createRandom(7);
    const relay = createRelay({ url, tokens, random: () => random.next() });
    const place = { appName: 'behind-relay', environment: 'production' };
    const origin = { sdkVersion: 'unleash-client-go:4.5.0', sdkType: 'backend', platformName: 'go' };
    relay.register({ ...place, instanceId: 'go-1', startedAt: Date.now(), strategies: ['default'], origin });
    relay.record({ ...place, featureName: 'search', at: Date.now(), yes: 12, no: 3, variants: { blue: 12 } });
    const labels = { search: 'blue', appName: 'behind-relay', environment: 'production', origin: 'edge' };
    for (const value of [2, 5.25]) {
      const samples = [{ value, labels }];
      relay.addImpact('production', { type: 'counter', name: 'errors', help: 'Errors', samples });
    }
    relay.seeToken('production', await unleash.createToken());
    await relay.push();
    relay.close();
  }
});
