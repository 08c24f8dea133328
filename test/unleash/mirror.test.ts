import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { openPostgres } from '#base/postgres';
import { type Config, readConfig } from '#base/runtime';
import { createRelay } from '../../tools/relay/index.ts';
import { untilItLasts } from '../support/borders.ts';
import { createRandom } from '../support/builders/random.ts';
import type { OwnUnleash } from '../support/stack/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { runCli } from '../support/stack/processes/cli.ts';
import { callCli } from '../support/stack/processes/cli-in-process.ts';
import { untilCounted } from '../support/stack/engines/kafka/topics.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { sendAsSdks } from '../support/senders/sdks/send-as-sdks.ts';
import { MIRRORED_FEATURES, sendBatches } from '../support/servers/upstream/mirrored-load.ts';
import { type Twins, itAnswersAlike, openTwins, sdksOf } from '../support/servers/upstream/twins.ts';
import type { World } from '../support/world.ts';

type Comparison = {
  readonly isEqual: boolean;
  readonly features: number;
  readonly differenceCount: number;
  readonly differences: readonly object[];
  readonly underDefault: { readonly evaluations: number; readonly features: readonly string[] };
  readonly unknownToUnleash: readonly string[];
};

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

  it('knows the SDK of each instance', async () => {
    const sdks = await sdksOf(twins.behind);
    expect(sdks['shop node-1']).to.match(/^unleash-node-sdk:\d+\./);
    expect(sdks).to.include({ 'behind-relay go-1': 'unleash-client-go:4.5.0' });
  });

  // Below, because it adds to what they compare.
  describe('and its mirror', () => {
    let unleash: OwnUnleash;
    let world: World;
    let ingest: { readonly url: string };
    before(async () => {
      ({ behind: unleash, world } = twins);
      ingest = { url: twins.flagmeter };
      await twins.direct.stop();
      for (const feature of MIRRORED_FEATURES) await unleash.createFeature(feature);
      await untilItLasts('hour', 180_000);
    });

    it('sends the sums of flagmeter, even if relays sent batches twice', async () => {
      const yes = await sendBatches(ingest, 15);
      await untilUnleashHas(yes);
      await untilCounted(world);

      const comparison = await compare();
      expect(comparison).to.deep.include({ code: 0, isEqual: true });
      expect(comparison.features).to.be.at.least(MIRRORED_FEATURES.length);
    });

    itNightly('catches up after it was killed and Unleash was down', async () => {
      const before = await unleashYes();
      await unleash.kill();
      const yes = await sendBatches(ingest, 15);
      await twins.mirror.kill();
      await world.fork('unleash-bridge');
      await unleash.restart();
      await untilUnleashHas(before + yes);
      await untilCounted(world);

      expect(await compare()).to.deep.include({ code: 0, isEqual: true });
    });

    it('registers applications', async () => {
      const applications = [
        {
          appName: 'kiosk',
          instanceId: 'one',
          sdkVersion: null,
          sdkType: null,
          interval: null,
          environment: 'production',
        },
        {
          appName: 'café',
          environment: 'development',
          instanceId: 'two',
          sdkVersion: 'unleash-client-node:6.12.1',
          sdkType: 'backend',
          strategies: ['default'],
        },
      ];
      const { status } = await post(ingest, { body: bodyOf({ applications }) });

      expect(status).to.equal(202);
      await eventually(
        () => unleash.call<{ applications: { appName: string }[] }>('GET', '/api/admin/metrics/applications'),
        (found) =>
          ['kiosk', 'café'].every((name) => found.applications.some(({ appName }) => appName === name)),
      );
    });

    itNightly('omits features that Unleash does not know, and compare-unleash names them', async () => {
      await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ featureName: 'only-here', yes: 7 })] }) });
      await untilCounted(world);
      const comparison = await eventually(compare, ({ code }) => code === 0, 200_000);

      expect(comparison.unknownToUnleash).to.include('only-here');
    });

    it('lets compare-unleash expect evaluations with a token for all environments under default', async () => {
      const secret = await insertTokenForAllEnvironments(unleash);
      const toggles = {
        checkout: { yes: 2, no: 1, variants: { blue: 2 } },
        search: { yes: 4, no: 0, variants: {} },
      };
      const time = new Date().toISOString();
      for (const url of [unleash.address, ingest.url])
        await sendAsSdk(url, secret, {
          appName: 'everywhere',
          instanceId: 'one',
          environment: 'staging',
          bucket: { start: time, stop: time, toggles },
        });
      await untilCounted(world);
      const config = readConfig({ ...world.env, UNLEASH_MIRROR_TOKENS: '' });
      const comparison = await eventually(
        () => compare(config),
        ({ underDefault }) => underDefault.evaluations > 0,
      );

      expect(comparison).to.deep.include({
        differences: [],
        underDefault: { evaluations: 7, features: ['checkout', 'search'] },
      });
      const counted = 'select distinct environment from usage_by_hour where app_name = {app:String}';
      expect(await world.query(counted, { app: 'everywhere' })).to.deep.equal([{ environment: 'staging' }]);
    });

    it('lets compare-unleash show evaluations that only Unleash counted', async () => {
      const metrics = [
        {
          featureName: 'feature-0',
          appName: 'direct',
          environment: 'production',
          timestamp: new Date().toISOString(),
          yes: 3,
          no: 0,
          variants: {},
        },
      ];
      const answer = await fetch(`${unleash.address}/api/client/metrics/bulk`, {
        method: 'POST',
        headers: { authorization: unleash.secrets.production, 'content-type': 'application/json' },
        body: JSON.stringify({ applications: [], metrics }),
      });
      expect(answer.status).to.equal(202);
      const comparison = await eventually(compare, ({ code }) => code !== 0);

      expect(comparison).to.deep.include({ code: 1, isEqual: false, differenceCount: 1 });
      expect(comparison.differences[0]).to.deep.include({
        featureName: 'feature-0',
        appName: 'direct',
        flagmeter: null,
        unleash: { yes: 3, no: 0, variants: {} },
      });
    });

    it('lets compare-unleash exit with 2 if the comparison is impossible', async () => {
      const wrong = await runCli(world, ['compare-unleash', '--hour', new Date().toISOString()], {
        UNLEASH_ADMIN_TOKEN: '*:*.wrong',
      });
      const withoutToken = readConfig({ ...world.env, UNLEASH_ADMIN_TOKEN: '' });

      expect(wrong.code).to.equal(2);
      expect(await failureOf(withoutToken)).to.include('UNLEASH_ADMIN_TOKEN');
      expect(await failureOf(world.config, '--day', '2020-01-01')).to.include('48 hours');
    });

    async function compare(config = world.config): Promise<Comparison & { readonly code: number }> {
      const args = ['compare-unleash', '--json', '--hour', new Date().toISOString()];
      const { exitCode, output } = await callCli({ ...world, config }, ...args);
      return { ...(JSON.parse(output) as Comparison), code: exitCode }; // the command wrote it
    }

    async function sendAsSdk(url: string, secret: string, body: object): Promise<void> {
      const { status } = await fetch(`${url}/api/client/metrics`, {
        method: 'POST',
        headers: { authorization: secret, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(status, url).to.equal(202);
    }

    function failureOf(config: Config, ...args: readonly string[]): Promise<string> {
      return callCli({ ...world, config }, 'compare-unleash', ...args).then(() => 'no failure', String);
    }

    async function unleashYes(): Promise<number> {
      const answers = await Promise.all(
        MIRRORED_FEATURES.map((name) =>
          unleash.call<{ data: { yes: number }[] }>(
            'GET',
            `/api/admin/client-metrics/features/${name}/raw?hoursBack=1`,
          ),
        ),
      );
      return answers.flatMap(({ data }) => data).reduce((sum, { yes }) => sum + yes, 0);
    }

    async function untilUnleashHas(least: number): Promise<void> {
      await eventually(unleashYes, (yes) => yes >= least, 90_000);
    }
  });

  /** Unleash makes no such token any more, but keeps those of older versions. */
  async function insertTokenForAllEnvironments({ databaseUrl }: OwnUnleash): Promise<string> {
    const secret = `default:*.client${randomBytes(20).toString('hex')}`;
    const { log } = twins.world;
    const db = openPostgres({ url: databaseUrl, tls: undefined, maxConnections: 1, log });
    try {
      await db.query(
        `with inserted as (
           insert into api_tokens (secret, username, token_name, type, environment)
           values ($1, 'old', 'old', 'client', null)
           returning secret
         )
         insert into api_token_project (secret, project)
         select secret, 'default' from inserted`,
        [secret],
      );
    } finally {
      await db.end();
    }
    return secret;
  }

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
