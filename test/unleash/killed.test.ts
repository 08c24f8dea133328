import { expect } from 'chai';
import { freePort } from '../../tools/stack/index.ts';
import { untilItLasts } from '../support/borders.ts';
import { createRandom } from '../support/builders/random.ts';
import { type OwnUnleash, ownUnleash } from '../support/stack/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { runCli } from '../support/stack/processes/cli.ts';
import { readGauge } from '../support/stack/processes/gauges.ts';
import type { ServiceProcess } from '../support/stack/processes/process.ts';
import { MIRRORED_FEATURES } from '../support/servers/upstream/mirrored-load.ts';
import { startRelays } from '../support/servers/upstream/soak-relays.ts';
import { type World, createWorld } from '../support/world.ts';

const SERVICES = ['ingest', 'worker', 'unleash-bridge'] as const;
type ServiceName = (typeof SERVICES)[number];

type Comparison = {
  readonly code: number;
  readonly features: number;
  readonly excess: { readonly tooMany: number; readonly tooFew: number };
};

describe('flagmeter killed in front of a real Unleash', () => {
  let unleash: OwnUnleash;
  let world: World;
  let port: string;
  let cast: Map<ServiceName, ServiceProcess>;
  const stopping = new AbortController();

  before(async function () {
    this.timeout(300_000); // it may wait for the next hour
    unleash = await ownUnleash();
    for (const feature of MIRRORED_FEATURES) await unleash.createFeature(feature);
    port = String(await freePort());
    world = await createWorld({
      UNLEASH_URL: unleash.address,
      UNLEASH_ADMIN_TOKEN: unleash.secrets.admin,
      UNLEASH_MIRROR_TOKENS: `${unleash.secrets.production},${unleash.secrets.development}`,
      INIT_CLIENT_API_TOKENS: '',
    });
    await untilItLasts('hour', 180_000);
    cast = new Map();
    for (const name of SERVICES) await start(name);
  });
  after(async () => {
    stopping.abort();
    await world.dispose();
    await unleash.dispose();
  });

  itNightly('agrees with Unleash about the hour afterwards', async () => {
    const { production, development } = unleash.secrets;
    const relays = startRelays({
      url: `http://127.0.0.1:${port}`,
      tokens: { production, development },
      random: createRandom(1),
      signal: stopping.signal,
    });
    let unanswered = 0;
    for (const name of SERVICES) {
      await mirrorMore();
      if (name === 'unleash-bridge') unanswered += await mirrored('unanswered');
      await cast.get(name)?.kill();
      await start(name);
    }
    await mirrorMore();
    stopping.abort();
    await Promise.all(relays.map(({ finished }) => finished));
    // Only a mirror that was killed during a post repeats it. Its successor counts the post as unanswered when it reaches the
    // partition, so this count is read after each comparison.
    const { features, excess, repeated } = await eventually(
      async () => ({ ...(await compare()), repeated: unanswered + (await mirrored('unanswered')) }),
      ({ excess: { tooMany, tooFew }, repeated: most }) => tooFew === 0 && tooMany <= most,
      100_000,
    );

    expect(features).to.equal(MIRRORED_FEATURES.length);
    expect(excess.tooFew).to.equal(0);
    expect(excess.tooMany).to.be.at.most(repeated);
  })?.timeout(300_000);

  async function start(name: ServiceName): Promise<void> {
    cast.set(name, await world.fork(name, name === 'ingest' ? { PORT: port } : {}));
  }

  function mirrored(outcome: string): Promise<number> {
    const mirror = cast.get('unleash-bridge');
    return mirror === undefined
      ? Promise.resolve(0)
      : readGauge(mirror, `flagmeter_mirror_evaluations_total{outcome="${outcome}"}`);
  }

  /** Resolves when Unleash has accepted counts after the call. */
  async function mirrorMore(): Promise<void> {
    const before = await mirrored('accepted');
    await eventually(
      () => mirrored('accepted'),
      (accepted) => accepted > before,
    );
  }

  async function compare(): Promise<Comparison> {
    await world.settled();
    const args = ['compare-unleash', '--json', '--hour', new Date().toISOString()];
    const { code, stdout } = await runCli(world, args);
    return { ...(JSON.parse(stdout) as Omit<Comparison, 'code'>), code }; // the command wrote it
  }
});
