import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { createRandom } from '../support/builders/random.ts';
import { untilItLasts } from '../support/borders.ts';
import { type OwnUnleash, ownUnleash } from '../support/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { startFrontendSdk } from '../support/sdks/frontend-sdk.ts';
import { startNodeSdk } from '../support/sdks/node-sdk.ts';
import { startCounting } from '../support/stories/counting.ts';
import { type World, createWorld } from '../support/world.ts';
import { createRelay } from '#traffic';

/** Unleash stores unknown features every two minutes. */
const STORED_WITHIN_MS = 200_000;
const FEATURES = ['checkout', 'search'] as const;

describe('an Unleash behind flagmeter', () => {
  let direct: OwnUnleash;
  let behind: OwnUnleash;
  let world: World;
  const sdkSecrets = new Map<OwnUnleash, string>();

  before(async function () {
    this.timeout(300_000); // it may wait for the next hour
    [direct, behind] = await Promise.all([ownUnleash(), ownUnleash()]);
    for (const unleash of [direct, behind]) {
      for (const feature of FEATURES) await unleash.createFeature(feature);
      sdkSecrets.set(unleash, await unleash.createToken());
    }
    world = await createWorld({
      UNLEASH_URL: behind.address,
      UNLEASH_ADMIN_TOKEN: behind.secrets.admin,
      UNLEASH_MIRROR_TOKENS: `${behind.secrets.production},${behind.secrets.development}`,
    });
    const flagmeter = await startCounting(world);
    await world.fork('unleash-bridge');
    await untilItLasts('hour', 180_000);
    await sendTraffic(direct.address, direct);
    await sendTraffic(flagmeter.url, behind);
  });
  after(async () => {
    await world.dispose();
    await Promise.all([direct.dispose(), behind.dispose()]);
  });

  const atLeast = (items: number) => (list: readonly unknown[]) => list.length >= items;
  // Of the four tokens that Unleash knows, only that of development is never used.
  const onlyOne = (list: readonly unknown[]): boolean => list.length === 1;
  for (const [what, read, isComplete] of [
    ['usage of features', usage, atLeast(3)],
    ['applications', applications, atLeast(3)],
    ['instances', instances, atLeast(2)],
    ['series of impact metrics', impactSeries, atLeast(10)],
    ['tokens that were never used', unusedTokens, onlyOne],
    ['unknown features', unknownFeatures, atLeast(1)],
  ] as const)
    it(`has the same ${what} as one without it`, async function () {
      this.timeout(2 * STORED_WITHIN_MS);
      const readBoth = async () => ({ expected: await read(direct), found: await read(behind) });
      // Each Unleash stores what it received some time later.
      const { expected, found } = await eventually(
        readBoth,
        (both) => isComplete(both.expected) && isDeepStrictEqual(both.found, both.expected),
        STORED_WITHIN_MS,
      ).catch(readBoth);
      expect(isComplete(expected), JSON.stringify(expected)).to.equal(true);
      expect(found).to.deep.equal(expected);
    });

  /** What one day sends: a server, a browser, and a relay in front of other SDKs. */
  async function sendTraffic(url: string, unleash: OwnUnleash): Promise<void> {
    const node = await startNodeSdk({ url, secret: unleash.secrets.production, instanceId: 'node-1' });
    const { impact } = node;
    impact.defineCounter('purchases', 'Completed purchases');
    impact.defineGauge('carts', 'Open carts');
    impact.defineHistogram('response_seconds', 'Response times', [0.1, 0.5, 1]);
    for (let index = 0; index < 20; index += 1) {
      const flags = { flagNames: ['checkout'], context: { userId: `user-${index}` } };
      node.isEnabled('checkout', `user-${index}`);
      // oxlint-disable-next-line typescript/no-deprecated -- applications of today call it with the flags
      impact.incrementCounter('purchases', 1.5, flags);
      // oxlint-disable-next-line typescript/no-deprecated -- the same
      impact.observeHistogram('response_seconds', index / 10, flags);
      impact.updateGauge('carts', index);
      if (index % 7 === 6) await node.flush();
    }
    node.isEnabled('not-a-feature');
    await node.flush();
    const browser = await startFrontendSdk(url, unleash.secrets.frontend);
    for (let index = 0; index < 5; index += 1) browser.isEnabled('search');
    browser.impact.defineCounter('clicks', 'Clicks');
    browser.impact.incrementCounter('clicks', 3);
    await browser.flush();
    await pushAsRelay(url, unleash);
    expect([...node.warnings, ...browser.errors]).to.deep.equal([]);
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
    relay.seeToken('production', sdkSecrets.get(unleash) ?? '');
    await relay.push();
    relay.close();
  }
});

type Usage = Readonly<Record<'featureName' | 'appName' | 'environment', string>> & {
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
};

async function usage(unleash: OwnUnleash): Promise<unknown[]> {
  const lists = FEATURES.map(async (feature) => {
    const path = `/api/admin/client-metrics/features/${feature}/raw?hoursBack=2`;
    const { data } = await unleash.call<{ data: Usage[] }>('GET', path);
    return data.map(({ featureName, appName, environment, yes, no, variants = {} }) => {
      const places = `${featureName} ${appName} ${environment}`;
      return `${places} ${yes} ${no} ${JSON.stringify(variants)}`;
    });
  });
  return (await Promise.all(lists)).flat().sort(inOrder);
}

async function applications(unleash: OwnUnleash): Promise<unknown[]> {
  type Application = { readonly appName: string; readonly strategies: readonly string[] };
  const path = '/api/admin/metrics/applications';
  const found = await unleash.call<{ applications: Application[] }>('GET', path);
  return found.applications
    .map(({ appName, strategies }) => `${appName} ${strategies.toSorted(inOrder).join(' ')}`)
    .sort(inOrder);
}

async function instances(unleash: OwnUnleash): Promise<unknown[]> {
  type Instance = { readonly instanceId: string; readonly sdkVersion?: string | null };
  const lists = ['shop', 'behind-relay'].map(async (appName) => {
    const path = `/api/admin/metrics/instances/${appName}/environment/production`;
    const found = await unleash.call<{ instances: Instance[] }>('GET', path);
    return found.instances.map(
      ({ instanceId, sdkVersion }) => `${appName} ${instanceId} ${sdkVersion ?? ''}`,
    );
  });
  return (await Promise.all(lists)).flat().sort(inOrder);
}

async function unknownFeatures(unleash: OwnUnleash): Promise<unknown[]> {
  type Unknown = { readonly name: string };
  const found = await unleash.call<{ unknownFlags: Unknown[] }>('GET', '/api/admin/metrics/unknown-flags');
  return found.unknownFlags.map(({ name }) => name).sort(inOrder);
}

async function impactSeries(unleash: OwnUnleash): Promise<unknown[]> {
  const response = await fetch(`${unleash.address}/internal-backstage/impact/metrics`);
  const lines = (await response.text()).split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(withLabelsInOrder)
    .sort(inOrder);
}

function withLabelsInOrder(line: string): string {
  return line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(',').sort(inOrder).join(',')}}`);
}

/** Names of tokens without the random part. */
async function unusedTokens(unleash: OwnUnleash): Promise<unknown[]> {
  type Token = { readonly secret: string; readonly type: string; readonly seenAt?: string | null };
  const { tokens } = await unleash.call<{ tokens: Token[] }>('GET', '/api/admin/api-tokens');
  const unused = tokens.filter(({ seenAt }) => seenAt == null);
  return unused.map(({ secret, type }) => `${type} ${secret.split('.')[0] ?? ''}`).sort(inOrder);
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}
