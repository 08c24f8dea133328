import { expect } from 'chai';
import { readFleet } from '#fleet/catalogue';
import { isoDay } from '#base/schema';
import type { Metric } from '#core/counting';
import { FlagmeterError } from '#base/runtime';
import { fillSample, readSample } from '../../../../services/cli/sample/index.ts';
import { insertDocument } from '../../../../services/admin/doors/exchange/index.ts';
import { aCounter, aCountsValue, aMetric } from '../../../support/builders/builders.ts';
import { appendCounts } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { itNightly } from '../../../support/nightly.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { runCli } from '../../../support/stack/processes/cli.ts';
import { untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { runWorker } from '../../../support/stories/counting.ts';
import { type World, createWorld } from '../../../support/world.ts';
import { contentOf } from './content.ts';

const NOW = Date.now();
const TODAY = Math.floor(NOW / 86_400_000);

describe('flagmeter sample', () => {
  let world: World;

  const create = async (): Promise<void> => {
    world = await createWorld();
  };
  const dispose = (): Promise<void> => world.dispose();

  describe('in one flagmeter', () => {
    before(create);
    after(dispose);

    it('fills an empty flagmeter with what is worth looking at, changes nothing the second time, and leaves nothing behind', async () => {
      const before = await contentOf(world);

      const made = await callCli(world, 'sample');
      expect(made.output).to.include('A sample was made').and.include('flagmeter sample --remove');
      const content = await contentOf(world);
      expect(content).to.deep.include({
        features: 40,
        projects: 5,
        change_requests: 2,
        users: 7,
        client_applications: 6,
        impact_metric_states: 4,
        relays: 6,
      });
      expect(content.usage_hourly).to.be.above(50_000);
      expect(content.impact_hourly).to.be.above(8000);
      expect(await rolloutOf(world, 'checkout-one-page')).to.equal('75');
      const oldest = await world.db.query<{ type: string }>(
        'select type from events order by created_at limit 6',
      );
      expect(oldest.rows.map(({ type }) => type)).to.deep.equal(Array(6).fill('application-created'));
      await expectWorthLooking(world);
      await expectAgreement(world);

      expect((await callCli(world, 'sample')).output).to.include('There is a sample already');
      expect(await contentOf(world)).to.deep.equal(content);

      expect((await callCli(world, 'sample', '--remove')).output).to.include('The sample was removed');
      expect(await contentOf(world)).to.deep.equal(before);
      await expectAgreement(world);
      expect((await callCli(world, 'sample', '--remove')).output).to.include('There is no sample');
    });

    it('refuses if a name of the sample is taken', async () => {
      await world.db.query("insert into features (name, project) values ('checkout-wallet', 'default')");
      await world.db.query("insert into projects (id, name) values ('sample-search', 'ours')");
      expect(await codeOf(callCli(world, 'sample', '--beside-real-data'))).to.equal('sample-names');
      expect((await callCli(world, 'sample', '--remove')).output).to.include('There is no sample');
      expect((await contentOf(world)).projects).to.equal(2);
      await world.db.query("delete from features where name = 'checkout-wallet'");
      await world.db.query("delete from projects where id = 'sample-search'");
    });

    it('needs --beside-real-data where there are real data, and its removal leaves them', async () => {
      await runWorker(world);
      await count([aMetric({ featureName: 'new-basket', appName: 'shop', ...AT_NOW, yes: 3 })]);
      const { code, stderr } = await runCli(world, ['sample']);
      expect(code).to.equal(3);
      expect(stderr).to.include('flagmeter already holds 0 features and 1 application.');

      await callCli(world, 'sample', '--beside-real-data');
      await count([aMetric({ featureName: 'checkout-one-page', appName: 'shop', ...AT_NOW, yes: 2, no: 1 })]);
      await callCli(world, 'sample', '--remove');

      const usage =
        'select feature_name, app_name, sum(yes) as yes from usage_by_day group by all order by all';
      expect(await world.query(usage)).to.deep.equal([
        { feature_name: 'checkout-one-page', app_name: 'shop', yes: '2' },
        { feature_name: 'new-basket', app_name: 'shop', yes: '3' },
      ]);
      const seen = await world.query<{ hour: string }>(
        "select toString(toUnixTimestamp(first_hour)) as hour from feature_seen where feature_name = 'checkout-one-page'",
      );
      expect(seen).to.deep.equal([{ hour: String(Math.floor(NOW / 3_600_000) * 3600) }]);
      await expectAgreement(world);
    });
  });

  describe('in a flagmeter of its own', () => {
    beforeEach(create);
    afterEach(dispose);

    itNightly('protects its days from a rebuild, also from an incomplete one', async () => {
      await callCli(world, 'sample');
      const content = await contentOf(world);
      const replay = (from: number, ...options: string[]) =>
        callCli(world, 'replay', '--from', isoDay(from), '--to', isoDay(from + 2), ...options);
      expect(await codeOf(replay(TODAY - 2, '--yes', '--allow-incomplete'))).to.equal('sample');
      expect(await codeOf(replay(TODAY - 36))).to.equal('sample');
      expect((await replay(TODAY - 40)).output).to.include('Nothing was changed');
      expect(await contentOf(world)).to.deep.equal(content);
      await callCli(world, 'sample', '--remove');
      expect((await replay(TODAY - 2, '--yes')).output).to.include('The days were replaced');
    });

    itNightly('can be made again after its removal', async () => {
      await callCli(world, 'sample');
      await callCli(world, 'sample', '--remove');
      await callCli(world, 'sample');

      expect((await contentOf(world)).usage_hourly).to.be.above(50_000);
      await expectAgreement(world);
    });
  });

  describe('whose command was interrupted', () => {
    before(create);
    after(dispose);

    it('is completed', async () => {
      const madeAt = Math.floor(NOW / 1000) * 1000;
      const failing = { madeAt, insertDocument, onProgress: failAtThirdBlock };
      await fillSample(world, failing).catch(ignoreInterruption);
      expect(await readSample(world)).to.deep.equal({ madeAt, isComplete: false });
      const failsLast = { madeAt, insertDocument: failWithFeatures, onProgress: () => undefined };
      await fillSample(world, failsLast).catch(ignoreInterruption);
      expect(await readSample(world)).to.deep.equal({ madeAt, isComplete: false });

      expect((await callCli(world, 'sample')).output).to.include('A sample was made');
      expect(await readSample(world)).to.deep.equal({ madeAt, isComplete: true });
      expect(await contentOf(world)).to.deep.include({ features: 40, change_requests: 2 });
      await expectAgreement(world);
    });

    it('is not removed with features of others, nor while somebody reports as one of its applications', async () => {
      await runWorker(world);
      await world.db.query("insert into features (name, project) values ('ours', 'sample-search')");
      expect(await problemOf(callCli(world, 'sample', '--remove'))).to.include('ours is in a project');
      await world.db.query("delete from features where name = 'ours'");

      const [today, yesterday, before] = [0, 1, 2].map((daysAgo) => isoDay(TODAY - daysAgo));
      const at = (day = '') => ({ environment: 'production', timestamp: `${day}T00:00:00Z` });
      const samples = [{ value: 2, labels: { appName: 'sample-web', environment: 'production' } }];
      // The message names the first day, so each of these is a reason of its own.
      const reports: readonly (readonly [day: string | undefined, metrics: Metric[], impact?: unknown])[] = [
        [today, [], [aCounter({ name: 'purchases', samples })]],
        [
          yesterday,
          [aMetric({ featureName: 'checkout-wallet', appName: 'sample-ios', ...at(yesterday), yes: 2 })],
        ],
        [before, [aMetric({ featureName: 'ours', appName: 'sample-web', ...at(before), yes: 1 })]],
      ];
      for (const [day, metrics, impact] of reports) {
        await count(metrics, impact);
        const content = await contentOf(world);
        expect(await problemOf(callCli(world, 'sample', '--remove'))).to.include(
          `on ${day ?? ''} relays reported`,
        );
        expect(await contentOf(world)).to.deep.equal(content);
      }
      await expectAgreement(world);
    });
  });

  async function count(metrics: Metric[], impactMetrics?: unknown): Promise<void> {
    const batchId = JSON.stringify([metrics, impactMetrics]);
    await appendCounts(world, [aCountsValue({ batchId, receivedAt: NOW, metrics, impactMetrics })]);
    await untilCounted(world);
  }
});

const AT_NOW = { environment: 'production', timestamp: new Date(NOW).toISOString() };

function failAtThirdBlock(text: string): void {
  if (text.startsWith('3')) throw new Error('interrupted');
}

const failWithFeatures: typeof insertDocument = (client, document) =>
  document.features === undefined
    ? insertDocument(client, document)
    : Promise.reject(new Error('interrupted'));

function ignoreInterruption(error: unknown): void {
  if (!(error instanceof Error && error.message === 'interrupted')) throw error;
}

async function codeOf(outcome: Promise<unknown>): Promise<string> {
  return (await failureOf(outcome)).code;
}

/** The message of a refused removal. */
async function problemOf(outcome: Promise<unknown>): Promise<string> {
  const { code, message } = await failureOf(outcome);
  expect(code).to.equal('sample-in-use');
  return message;
}

async function failureOf(outcome: Promise<unknown>): Promise<FlagmeterError> {
  const error: unknown = await outcome.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof FlagmeterError) return error;
  throw new Error('no FlagmeterError', { cause: error });
}

async function rolloutOf(world: World, feature: string): Promise<string | undefined> {
  const { rows } = await world.db.query<{ rollout: string }>(
    `select strategies->0->'parameters'->>'rollout' as rollout
     from feature_environments
     where feature_name = $1
       and environment = 'production'`,
    [feature],
  );
  return rows[0]?.rollout;
}

/** A rollout that sells more, one that causes errors, and relays in every state of interest. */
async function expectWorthLooking(world: World): Promise<void> {
  const impact = await world.query<{ metric_name: string; feature_name: string; ratio: number }>(
    `select metric_name, feature_name, ratio
     from feature_impact(since = now('UTC') - interval 20 day, until = now('UTC'))
     where arm = 'enabled'
       and metric_type = 'counter'
       and p_value < 0.0001
     order by all`,
  );
  expect(impact.map(({ metric_name, feature_name }) => [metric_name, feature_name])).to.deep.equal([
    ['purchases', 'checkout-one-page'],
    ['request_errors', 'product-review-summary'],
  ]);
  // The window ends now, so the ratios differ a little from hour to hour.
  const [purchases, errors] = impact.map(({ ratio }) => ratio);
  expect(purchases).to.be.within(1.05, 1.25);
  expect(errors).to.be.within(1.35, 1.75);
  const relays = await world.db.query<{ state: string; relays: number }>(
    'select state, count(*)::int as relays from relay_states group by state order by state',
  );
  expect(relays.rows).to.deep.equal([
    { state: 'reporting', relays: 5 },
    { state: 'silent', relays: 1 },
  ]);
  // Nobody is alarmed because of a sample.
  expect(await readFleet(world.db)).to.deep.equal({ states: new Map(), lags: new Map() });
}

async function expectAgreement(world: World): Promise<void> {
  const { exitCode, output } = await callCli(world, 'reconcile');
  expect(exitCode, output).to.equal(0);
}
