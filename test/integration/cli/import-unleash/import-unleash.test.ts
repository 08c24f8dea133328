import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { FlagmeterError } from '#base/runtime';
import { type UnleashHistory, createUnleashHistory } from '../../../support/stack/engines/unleash-history.ts';
import { type CliOutcome, callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { runCli } from '../../../support/stack/processes/cli.ts';
import { startHalfStoring } from '../../../support/stack/proxies/half-storing.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting } from '../../../support/stories/counting.ts';
import { type World, createWorld } from '../../../support/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** One moment for all rows, so that no test depends on the hour or day in which it runs. */
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

describe('flagmeter import-unleash', () => {
  let world: World;
  let unleash: UnleashHistory;

  async function open(): Promise<void> {
    unleash = await createUnleashHistory();
    world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1', UNLEASH_DATABASE_URL: unleash.url });
  }

  async function close(): Promise<void> {
    await world.dispose();
    await unleash.dispose();
  }

  // In this order: the second test imports what the later ones have.
  describe('of some weeks', () => {
    before(async () => {
      await open();
      await addHistory();
    });
    after(close);

    it('shows without --yes what it would import, and changes nothing', async () => {
      const { output } = await importUnleash();

      expect(output).to.include('3 days, 2 features, 1 application, 2 environments, 39 evaluations.');
      expect(output).to.include('4 rows of Unleash to import: 4 counted, 0 refused.');
      expect(output).to.include('Left out: 2 rows of days that come from the other table of Unleash.');
      expect(output).to.include('Nothing was changed. Add --yes to import it.');
      expect(await usageByHour()).to.deep.equal([]);
    });

    it('rejects a database that is not of Unleash, and shows no password', async () => {
      const url = new URL(world.env['DATABASE_URL'] ?? '');
      url.password = 'secret-of-unleash';
      const failure = await importUnleash('--database', world.env['DATABASE_URL'] ?? '').catch(
        (error: unknown) => error,
      );
      expect(failure).to.be.instanceOf(FlagmeterError).and.to.include({ code: 'not-unleash' });
      const { code, stdout, stderr } = await runCli(world, ['import-unleash'], {
        UNLEASH_DATABASE_URL: 'postgres://unleash:secret-of-unleash@127.0.0.1:1/unleash',
      });
      expect(code).to.equal(1);
      expect(stdout + stderr).to.not.include('secret-of-unleash');
    });

    it('imports each day from the table that has more of it, and the accounting agrees', async () => {
      const { output } = await importUnleash('--yes');

      expect(output).to.include('4 rows of Unleash imported: 4 counted, 0 refused.');
      expect(await usageByHour()).to.deep.equal([
        { hour: at(-40, 0), feature_name: 'checkout', environment: 'production', yes: '7', no: '1' },
        { hour: at(-2, 0), feature_name: 'checkout', environment: 'production', yes: '20', no: '0' },
        { hour: at(-1, 9), feature_name: 'checkout', environment: 'production', yes: '5', no: '2' },
        { hour: at(-1, 10), feature_name: 'search', environment: 'development', yes: '4', no: '0' },
      ]);
      expect(await variantsByDay()).to.deep.equal([
        { day: day(-40), variant: 'blue', count: '3' },
        { day: day(-40), variant: 'red', count: '4' },
        { day: day(-1), variant: 'blue', count: '5' },
      ]);
      expect(
        await world.query('select * from usage_by_minute'),
        'nobody knows when they arrived',
      ).to.deep.equal([]);
      const { exitCode, output: accounting } = await callCli(world, 'reconcile');
      expect(accounting).to.include('imported from Unleash: received = counted + refused: 4 = 4 + 0');
      expect(exitCode).to.equal(0);
    });

    it('is part of the days that replay rebuilds', async () => {
      const usage = await usageByHour();
      await runStatement(world.clickhouse, 'alter table usage_hourly delete where true', {
        mutations_sync: '2',
      });
      const days = ['--from', day(-2), '--to', day(0)];
      const { output } = await callCli(world, 'replay', ...days, '--yes');

      expect(output).to.include('sums change on 2 days');
      expect(await usageByHour()).to.deep.equal(usage.slice(1));
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(1);
      await callCli(world, 'replay', '--from', day(-40), '--to', day(-39), '--yes');
      expect(await usageByHour()).to.deep.equal(usage);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    });

    it('changes nothing when it is repeated, and says what Unleash has more by now', async () => {
      const usage = await usageByHour();
      await unleash.db.query("update client_metrics_env set yes = yes + 1 where feature_name = 'search'");
      await unleash.db.query('delete from client_metrics_env_daily where date < current_date - 30');
      const { output } = await importUnleash('--yes');

      expect(await usageByHour()).to.deep.equal(usage);
      expect(output).to.include('Unleash has nothing to import');
      expect(output).to.include(
        'Unleash has more than was imported on 1 day. The difference is not imported:',
      );
      expect(output).to.include(
        `${day(-1)}: imported 2 rows, yes 9, no 2, variants 5; Unleash has 2 rows, yes 10, no 2, variants 5`,
      );
    });
  });

  describe('of other databases', () => {
    beforeEach(open);
    afterEach(close);

    it('shows a block that an interrupted import has stored partially as being stored', async () => {
      await addHistory();
      const wire = await startHalfStoring(() => world.config.clickhouse.url);
      await wire.storeHalves(world, async () => {
        const { code } = await runCli(world, ['import-unleash', '--yes'], { CLICKHOUSE_URL: wire.url });
        expect(code).to.not.equal(0);
      });
      wire.close();
      const interrupted = await callCli(world, 'reconcile');
      expect(interrupted.output).to.include(`${day(-1)} usage_daily: 9/2/0/2 being stored`);
      expect(interrupted.exitCode).to.equal(0);

      await importUnleash('--yes');
      const { exitCode, output } = await callCli(world, 'reconcile');
      expect(output).to.not.include('being stored');
      expect(exitCode).to.equal(0);
    });

    it('leaves out what flagmeter counted itself, and imports a later part in a second run', async () => {
      await unleash.addHours(
        { at: at(-1, 8), yes: 1 },
        { at: at(-1, 9), yes: 2 },
        { at: at(-1, 10), yes: 4 },
      );
      await importUnleash('--before', at(-1, 9), '--yes');
      const ingest = await startCounting(world);
      const timestamp = new Date(TODAY - DAY_MS + 10 * HOUR_MS + 1).toISOString();
      await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ timestamp, yes: 100 })] }) });
      await world.settled();
      const { output } = await importUnleash('--yes');

      expect(output).to.include('(the first hour that flagmeter counted)');
      expect(output).to.include('Left out: 1 row from before the end of the last import.');
      expect((await usageByHour()).map(({ yes }) => yes)).to.deep.equal(['1', '2', '100']);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    });

    it('lets one bad row cost only itself, and names the reason', async () => {
      const long = 'v'.repeat(300);
      const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`v${index}`, 1]));
      await unleash.addHours(
        { at: at(-1, 9), feature: 'good', yes: 1, no: null },
        { at: at(-1, 9), feature: '', yes: 1 },
        { at: at(-1, 9), feature: 'negative', yes: -1 },
        { at: at(-1, 9), feature: 'huge', yes: '9223372036854775807' },
        { at: at(-1, 9), feature: 'control\u0007', yes: 1 },
        { at: at(-1, 9), feature: '<script>alert(1)</script>', app: 'f'.repeat(255), yes: 1 },
        { at: at(-1, 9), feature: 'variants', yes: 1, variants: many },
        { at: at(-1, 9), feature: 'long-variant', yes: 1, variants: { [long]: 1 } },
        { at: at(-1, 9), feature: 'negative-variant', yes: 1, variants: { blue: -1 } },
        { at: at(-1, 9), feature: 'proto', yes: 2, variants: { __proto__x: 1, constructor: 1 } },
        { at: 'infinity', feature: 'for-ever', yes: 1 },
        { at: '-infinity', feature: 'never', yes: 1 },
        { at: '0044-03-15 10:00 BC', feature: 'ides', yes: 1 },
      );
      const { output } = await importUnleash('--yes');

      expect(output).to.include('10 rows of Unleash imported: 3 counted, 7 refused.');
      for (const line of [
        'invalid_count: 3',
        'empty_name: 1',
        'invalid_character: 1',
        'too_many_variants: 1',
      ])
        expect(output).to.include(`  refused ${line}`);
      expect(output).to.include('  refused name_too_long: 1');
      expect(output).to.include('Left out: 2 rows older than the retention of days');
      expect(output).to.include('Left out: 1 row from ');
      expect((await usageByHour()).map((row) => row['feature_name'])).to.deep.equal([
        '<script>alert(1)</script>',
        'good',
        'proto',
      ]);
      const [refusal] = await world.query(
        "select feature_name, sample from refusals where reason = 'invalid_count' and feature_name = 'huge'",
      );
      expect(refusal).to.deep.equal({ feature_name: 'huge', sample: '9223372036854775807 (yes)' });
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    });

    it('leaves out days that are older than the retention', async () => {
      await unleash.addDays({ at: day(-26 * 31), yes: 1 }, { at: day(-100), yes: 2 });
      const { output } = await importUnleash('--yes');

      expect(output).to.include('Left out: 1 row older than the retention of days');
      expect(await world.query('select yes from usage_by_day')).to.deep.equal([{ yes: '2' }]);
    });
  });

  async function addHistory(): Promise<void> {
    await unleash.addDays(
      { at: day(-40), yes: 7, no: 1, variants: { red: 4, blue: 3 } },
      { at: day(-2), yes: 20 },
      { at: day(-1), yes: 5 },
    );
    await unleash.addHours(
      // Unleash has deleted the other hours of this day.
      { at: at(-2, 23), yes: 6 },
      { at: at(-1, 9), yes: 5, no: 2, variants: { blue: 5 } },
      { at: at(-1, 10), feature: 'search', environment: 'development', yes: 4 },
    );
  }

  function importUnleash(...args: readonly string[]): Promise<CliOutcome> {
    return callCli(world, 'import-unleash', ...args);
  }

  function usageByHour(): Promise<Record<string, unknown>[]> {
    return world.query(
      `select formatDateTime(hour, '%FT%TZ') as hour, feature_name, environment, yes, no
       from usage_by_hour
       order by all`,
    );
  }

  function variantsByDay(): Promise<Record<string, unknown>[]> {
    return world.query('select toString(day) as day, variant, count from variants_by_day order by all');
  }
});

function day(offset: number): string {
  return new Date(TODAY + offset * DAY_MS).toISOString().slice(0, 10);
}

function at(offset: number, hour: number): string {
  return new Date(TODAY + offset * DAY_MS + hour * HOUR_MS).toISOString().replace('.000', '');
}
