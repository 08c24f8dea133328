import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { startIngest } from '../../../../services/ingest/app.ts';
import { untilItLasts } from '../../borders.ts';
import { type OwnUnleash, ownUnleash } from '../../stack/engines/unleash.ts';
import { eventually } from '../../eventually.ts';
import type { ServiceProcess } from '../../stack/processes/process.ts';
import { runWorker } from '../../stories/counting.ts';
import { type World, createWorld } from '../../world.ts';

/** Unleash stores metrics and applications every few seconds, and its rare jobs run as often (frequent-jobs.ts). */
const STORED_WITHIN_MS = 100_000;
const USED_FEATURES = ['checkout', 'search'] as const;
/** Each feature has one for `true` and one for `false` in each application. */
const COUNTERS = 2 * USED_FEATURES.length;

/** Two real Unleashes with the same features. The second has a flagmeter in front of it. */
export type Twins = {
  readonly direct: OwnUnleash;
  readonly behind: OwnUnleash;
  /** Address of the flagmeter. */
  readonly flagmeter: string;
  /** Address of its worker. */
  readonly worker: string;
  readonly world: World;
  /** The process that mirrors to the second. */
  readonly mirror: ServiceProcess;
  dispose(): Promise<void>;
};

/** Resolves at a time after which enough of the hour is left for the traffic of a test. */
export async function openTwins(): Promise<Twins> {
  const [direct, behind] = await Promise.all([ownUnleash(), ownUnleash()]);
  for (const unleash of [direct, behind])
    for (const feature of USED_FEATURES) await unleash.createFeature(feature);
  const world = await createWorld({
    UNLEASH_URL: behind.address,
    UNLEASH_ADMIN_TOKEN: behind.secrets.admin,
    UNLEASH_MIRROR_TOKENS: `${behind.secrets.production},${behind.secrets.development}`,
    KAFKA_COUNTS_PARTITIONS: '2',
    FLAG_USAGE_SERIES: '1000',
  });
  const [ingest, worker] = await Promise.all([world.run(startIngest), runWorker(world)]);
  const mirror = await world.fork('unleash-bridge');
  await untilItLasts('hour', 180_000);
  return {
    direct,
    behind,
    flagmeter: ingest.url,
    worker: worker.url,
    world,
    mirror,
    async dispose() {
      await world.dispose();
      await Promise.all([direct.dispose(), behind.dispose()]);
    },
  };
}

const ANSWERS = {
  'usage of features': usage,
  applications,
  instances,
  'series of impact metrics': impactSeries,
  'tokens that were used': usedTokens,
  'unknown features': unknownFeatures,
} as const;

/** Compares what both Unleashes answer, once each list of the first has at least as many entries as its traffic makes. */
export function itAnswersAlike(
  twins: () => Twins,
  atLeast: Readonly<Record<keyof typeof ANSWERS, number>>,
): void {
  for (const [what, read] of Object.entries(ANSWERS))
    it(`has the same ${what} as one without it`, async function () {
      this.timeout(2 * STORED_WITHIN_MS);
      const { direct, behind } = twins();
      const complete = atLeast[what as keyof typeof ANSWERS]; // Object.entries forgets the names
      const readBoth = async () => ({ expected: await read(direct), found: await read(behind) });
      // Each Unleash stores what it received some time later.
      const { expected, found } = await eventually(
        readBoth,
        (both) => both.expected.length >= complete && isDeepStrictEqual(both.found, both.expected),
        STORED_WITHIN_MS,
      ).catch(readBoth);
      expect(found).to.deep.equal(expected);
      expect(expected, JSON.stringify(expected)).to.have.length.of.at.least(complete);
    });

  it('has the same counters of usage for scrapers, at the worker of flagmeter', async function () {
    this.timeout(2 * STORED_WITHIN_MS);
    const readBoth = () => Promise.all([twins().direct.address, twins().worker].map(usageCounters));
    const isEqual = ([expected = [], found]: string[][]): boolean =>
      expected.length >= COUNTERS && isDeepStrictEqual(found, expected);
    const [expected, found] = await eventually(readBoth, isEqual, STORED_WITHIN_MS).catch(readBoth);
    expect(found).to.deep.equal(expected);
    expect(expected).to.have.length.of.at.least(COUNTERS);
  });

  it('has the same SDKs of instances, as far as the one without it knows them', async () => {
    const [known, found] = await Promise.all([sdksOf(twins().direct), sdksOf(twins().behind)]);
    for (const [instance, sdk] of Object.entries(known))
      if (sdk !== '') expect(found).to.have.property(instance, sdk);
  });
}

type Usage = Readonly<Record<'featureName' | 'appName' | 'environment', string>> & {
  readonly yes: number;
  readonly no: number;
  readonly variants?: Readonly<Record<string, number>>;
};

async function usage(unleash: OwnUnleash): Promise<unknown[]> {
  const lists = USED_FEATURES.map(async (feature) => {
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

/** The samples of the counter of usage that scrapers get of an Unleash, or of the worker of flagmeter. */
async function usageCounters(address: string): Promise<string[]> {
  const metrics = await (await fetch(`${address}/internal-backstage/prometheus`)).text();
  const ofFeatures = USED_FEATURES.map((feature) => `feature_toggle_usage_total{toggle="${feature}",`);
  return metrics
    .split('\n')
    .filter((line) => ofFeatures.some((start) => line.startsWith(start)))
    .sort(inOrder);
}

/**
 * Names alone: Unleash may forget the SDK of an instance whose counts come 20 seconds or more after its registration
 * (the upsert of client-instance-store.js), so its own answer depends on when each of the two came.
 */
async function instances(unleash: OwnUnleash): Promise<unknown[]> {
  return Object.keys(await sdksOf(unleash)).sort(inOrder);
}

/** The SDK of each server of the traffic, as Unleash lists them, such as `shop node-1`; empty if Unleash does not know it. */
export async function sdksOf(unleash: OwnUnleash): Promise<Readonly<Record<string, string>>> {
  type Instance = { readonly instanceId: string; readonly sdkVersion?: string | null };
  const lists = ['shop', 'behind-relay'].map(async (appName) => {
    const path = `/api/admin/metrics/instances/${appName}/environment/production`;
    const found = await unleash.call<{ instances: Instance[] }>('GET', path);
    return found.instances.map(
      ({ instanceId, sdkVersion }) => [`${appName} ${instanceId}`, sdkVersion ?? ''] as const,
    );
  });
  return Object.fromEntries((await Promise.all(lists)).flat());
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
async function usedTokens(unleash: OwnUnleash): Promise<unknown[]> {
  type Token = { readonly secret: string; readonly type: string; readonly seenAt?: string | null };
  const { tokens } = await unleash.call<{ tokens: Token[] }>('GET', '/api/admin/api-tokens');
  const used = tokens.filter(({ seenAt }) => seenAt != null);
  return used.map(({ secret, type }) => `${type} ${secret.split('.')[0] ?? ''}`).sort(inOrder);
}

function inOrder(a: string, b: string): number {
  return a < b ? -1 : 1;
}
