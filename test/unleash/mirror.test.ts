import { expect } from 'chai';
import { untilItLasts } from '../support/borders.ts';
import { type OwnUnleash, ownUnleash } from '../support/engines/unleash.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { runCli } from '../support/processes/cli.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { MIRRORED_FEATURES, sendBatches } from '../support/upstream/mirrored-load.ts';
import { type World, createWorld } from '../support/world.ts';

type Comparison = {
  readonly isEqual: boolean;
  readonly features: number;
  readonly differenceCount: number;
  readonly differences: readonly object[];
  readonly unknownToUnleash: readonly string[];
};

describe('the mirror of a real Unleash', () => {
  let unleash: OwnUnleash;
  let world: World;
  let ingest: ServiceProcess;
  let mirror: ServiceProcess;

  before(async function () {
    this.timeout(300_000); // it may wait for the next hour
    unleash = await ownUnleash();
    world = await createWorld({
      UNLEASH_URL: unleash.address,
      UNLEASH_ADMIN_TOKEN: unleash.secrets.admin,
      UNLEASH_MIRROR_TOKENS: `${unleash.secrets.production},${unleash.secrets.development}`,
      KAFKA_COUNTS_PARTITIONS: '2',
    });
    for (const feature of MIRRORED_FEATURES) await unleash.createFeature(feature);
    [ingest, mirror] = await Promise.all([
      world.fork('ingest'),
      world.fork('unleash-bridge'),
      world.fork('worker'),
    ]);
    await untilItLasts('hour', 180_000);
  });
  after(async () => {
    await world.dispose();
    await unleash.dispose();
  });

  it('sends the sums of flagmeter, even if relays sent batches twice', async () => {
    const yes = await sendBatches(ingest, 30);
    await untilUnleashHas(yes);

    expect(await compare()).to.deep.include({ code: 0, isEqual: true, features: MIRRORED_FEATURES.length });
  });

  itNightly('catches up after it was killed and Unleash was down', async () => {
    const before = await unleashYes();
    await unleash.kill();
    const yes = await sendBatches(ingest, 15);
    await mirror.kill();
    mirror = await world.fork('unleash-bridge');
    await unleash.restart();
    await untilUnleashHas(before + yes);

    expect(await compare()).to.deep.include({ code: 0, isEqual: true });
  });

  it('registers applications', async () => {
    const applications = [
      {
        appName: 'shop',
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
      (found) => ['shop', 'café'].every((name) => found.applications.some(({ appName }) => appName === name)),
    );
  });

  itNightly('omits features that Unleash does not know, and compare-unleash names them', async () => {
    await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ featureName: 'only-here', yes: 7 })] }) });
    await world.settled();
    const comparison = await eventually(compare, ({ code }) => code === 0, 200_000);

    expect(comparison.unknownToUnleash).to.deep.equal(['only-here']);
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
    const without = await runCli(world, ['compare-unleash'], { UNLEASH_ADMIN_TOKEN: '' });
    const wrong = await runCli(world, ['compare-unleash', '--hour', new Date().toISOString()], {
      UNLEASH_ADMIN_TOKEN: '*:*.wrong',
    });
    const old = await runCli(world, ['compare-unleash', '--day', '2020-01-01']);

    expect([without.code, wrong.code, old.code]).to.deep.equal([2, 2, 2]);
    expect(without.stderr).to.include('UNLEASH_ADMIN_TOKEN');
    expect(old.stderr).to.include('48 hours');
  });

  async function compare(): Promise<Comparison & { readonly code: number }> {
    await world.settled();
    const args = ['compare-unleash', '--json', '--hour', new Date().toISOString()];
    const { code, stdout } = await runCli(world, args);
    return { ...(JSON.parse(stdout) as Comparison), code }; // the command wrote it
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
