import { expect } from 'chai';
import { findDifferences, readShardedAccounting } from '#core/accounting';
import { rollUpRelays } from '#fleet/catalogue';
import {
  type ClickHouse,
  type Shards,
  checkEveryReplica,
  createBlocks,
  openClickHouse,
  openShards,
  readRows,
  refreshVerdicts,
  runStatement,
} from '#core/clickhouse';
import { setUpTables } from '#tooling/operations';
import { type Config, createLog, readConfig } from '#base/runtime';
import type { OwnServers } from '../../support/stack/engines/own-cluster.ts';
import {
  aCatalogue,
  blocksOfAMonth,
  relayReports,
} from '../../support/stack/engines/clickhouse/month-of-blocks.ts';
import { aBlock } from '../../support/stack/engines/clickhouse/stored-blocks.ts';
import { eventually } from '../../support/eventually.ts';
import { someByDay } from '../../support/nightly.ts';
import { aFreshMetric } from '../../support/requests/post.ts';

/** Only ClickHouse is used. */
const OTHER_ENGINES = {
  KAFKA_BROKERS: '127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
};
const log = createLog('test', 'fatal');

export function testTables(given: () => OwnServers): void {
  let cluster: OwnServers;
  let config: Config;
  let shards: Shards;
  /** Reads both. */
  let all: ClickHouse;

  before(async () => {
    cluster = given();
    config = configOf({});
    await setUpTables(config, log);
    shards = openShards(config.clickhouse);
    all = openClickHouse({ ...config.clickhouse, username: 'flagmeter_reader' });
  });
  after(async () => {
    await Promise.all([shards.close(), all.close()]);
    // Otherwise the servers go on to compute their verdicts each minute.
    for (const server of cluster.replicas) {
      const client = cluster.connect(server);
      for (const database of ['flagmeter', 'flagmeter_shard', 'single', 'other'])
        await runStatement(client, `drop database if exists ${database} sync`);
      await client.close();
    }
  });

  it('show in each view what a single server shows of the same blocks', async () => {
    const single = configOf({ CLICKHOUSE_DATABASE: 'single', CLICKHOUSE_URL: addressOf(0) });
    await setUpTables({ clickhouse: { ...single.clickhouse, cluster: '' } }, log);
    const one = openClickHouse(single.clickhouse);
    const now = Date.now();
    for (const block of blocksOfAMonth(now)) {
      await createBlocks(one).insert(block);
      await createBlocks(shards.of(block.range.partition)).insert(block);
    }
    for (const db of [one, ...shards.all])
      for (const statement of aCatalogue(now)) await runStatement(db, statement);
    for (const db of [one, shards.of(0)]) {
      for (const statement of relayReports(now)) await runStatement(db, statement);
      await rollUpRelays(db);
    }
    const owner = openClickHouse(config.clickhouse);
    const views = await readRows<{ name: string }>(
      one,
      `select name
       from system.tables
       where database = currentDatabase()
         and engine = 'View'
         and name != 'retention'
       order by name`,
    );
    expect(views).to.have.length.above(25);
    const others = views.map(({ name }) => name).filter((name) => !WITH_STORED_VERDICTS.includes(name));
    const filled: string[] = [];
    // Verdicts are computed for all of their views at once, because that takes longer than all other reads together.
    const asks = someByDay([WITH_STORED_VERDICTS, ...others.map((name) => [name])], 1 / 3);
    for (const names of asks) {
      const readBoth = async () => {
        if (names === WITH_STORED_VERDICTS) for (const db of [one, owner]) await refreshVerdicts(db);
        return { expected: await readViews(one, names), found: await readViews(all, names) };
      };
      // Some views end with the current hour.
      const { expected, found } = await eventually(
        readBoth,
        ({ expected: rows, found: same }) => JSON.stringify(rows) === JSON.stringify(same),
        5000,
      ).catch(readBoth);
      expect(found).to.deep.equal(expected);
      filled.push(...names.filter((name) => (found[name] ?? []).length > 0));
    }
    const asked = asks.flat();
    expect(filled).to.include.members(FILLED.filter((name) => asked.includes(name)));
    await Promise.all([one.close(), owner.close()]);
  });

  it('are one accounting, which names the shard of a difference', async () => {
    const read = async () => findDifferences(withoutLog(await readShardedAccounting(shards.all, 'counts')));
    expect(await read()).to.deep.equal([]);
    const [first, second] = shards.all;
    const day = new Date().toISOString().slice(0, 10);
    const stray = {
      feature_name: 'stray',
      environment: 'production',
      app_name: 'stray',
      day,
      yes: 1,
      reports: 1,
    };
    await second?.insert({ table: 'usage_daily', values: [stray], format: 'JSONEachRow' });
    await createBlocks(first).insert(aBlock({ metrics: [aFreshMetric()], partition: 5 }));

    expect(
      (await read()).map(({ subject, text }) => `${subject}: ${text.replace(/\d+/g, 'N')}`),
    ).to.deep.equal([
      'counts/5 (epoch 1) of shard 1: N block belongs to shard N',
      `${day} usage_daily of shard 2: blocks say N/N/N/N, the table says N/N/N/N`,
    ]);
  });

  it('reject another order and another number of shards', async () => {
    const swapped = configOf({ CLICKHOUSE_URL: `${addressOf(1)};${addressOf(0)}` });
    const alone = configOf({ CLICKHOUSE_URL: addressOf(0), CLICKHOUSE_CLUSTER: '' });
    const third = addressOf(0).replace('127.0.0.1', 'localhost');
    const more = configOf({ CLICKHOUSE_URL: `${addressOf(0)};${addressOf(1)};${third}` });

    expect(await problemOf(setUpTables(swapped, log))).to.match(
      /belongs to shard 2 of 2, but .* as shard 1 of 2/,
    );
    expect(await problemOf(setUpTables(alone, log))).to.match(
      /belongs to shard 1 of 2 and shard 2 of 2, but/,
    );
    expect(await problemOf(setUpTables(more, log))).to.match(
      /belongs to shard 1 of 2, but .* as shard 1 of 3/,
    );
    const others = openShards(swapped.clickhouse);
    const inserted = createBlocks(others.of(0)).insert(aBlock({ metrics: [aFreshMetric()], from: 99n }));
    expect(await problemOf(inserted)).to.match(/belongs to shard 2 of 2, but .* as shard 1 of 2/);
    await others.close();
  });

  it('reject a cluster that has a shard twice', async () => {
    const [first] = shards.all;
    const mistaken = { ...config.clickhouse, cluster: 'mistaken', shards: 2, host: 'a1' };
    expect(await problemOf(checkEveryReplica(first, mistaken))).to.match(/does not have each shard .* once/);
    await runStatement(first, 'create database other');
    await runStatement(
      first,
      `create table other.shard_numbers as shard_numbers
       engine = Distributed('mistaken', 'flagmeter_shard', 'shard_numbers')`,
    );
    const db = openClickHouse({ ...config.clickhouse, database: 'other' });

    expect(await problemOf(readRows(db, 'select 1'))).to.match(
      /reads shard 1 of 2 and shard 1 of 2, but CLICKHOUSE_URL names 2 shards/,
    );
    await db.close();
  });

  it('reject a database that counts as a single server', async () => {
    const single = configOf({ CLICKHOUSE_DATABASE: 'single' });

    expect(await problemOf(setUpTables(single, log))).to.match(/already counts as a single server/);
  });

  function configOf(overrides: Readonly<Record<string, string>>): Config {
    return readConfig({ ...cluster.access, ...OTHER_ENGINES, ...overrides });
  }

  function addressOf(shard: number): string {
    return cluster.replicas[shard]?.address ?? '';
  }
}

/** Views that cannot be equal only because they are empty. */
const FILLED = [
  'usage_by_day',
  'feature_verdicts',
  'flag_debt_by_day',
  'app_seen',
  'accounting',
  'refusals',
  'impact_by_hour',
  'impact_by_day',
  'impact_histograms_by_hour',
  'gauges_by_hour',
  'impact_metrics',
  'exposures_by_hour',
  'exposures_by_day',
  'feature_impact',
  'relays',
  'relays_by_minute',
  'relays_by_hour',
  'relays_by_day',
];

const WITH_STORED_VERDICTS = [
  'feature_verdicts',
  'hottest_constant_flags',
  'experiment_results',
  'flag_debt_by_day',
];

/** Arguments of the views that need some. */
const PARAMETERS: Readonly<Record<string, string>> = {
  feature_impact: "(since = now('UTC') - interval 1 day, until = now('UTC'))",
  feature_usage: "(feature = 'feature-0', environment = 'production')",
  feature_variants: "(feature = 'feature-0', environment = 'production')",
  app_usage: "(app = 'app-0', environment = 'production')",
  feature_verdicts_at: `(
    at = now(), constant_days = 20, constant_evaluations = 10, silent_days = 3, new_days = 7, called_evaluations = 1,
    cliff_hours = 6, cliff_share = 0.5, cliff_evaluations = 1, drift_hours = 12, drift_index = 0.2,
    drift_evaluations = 1, dead_days = 7, dead_evaluations = 1, harmful_chance = 0.01)`,
  harmful_by_evidence: "(features = ['feature-0'], tokens = ['1'])",
  app_verdicts_at: "(at = now('UTC'), skew_metrics = 1, silent_intervals = 3)",
};

async function readViews(db: ClickHouse, names: readonly string[]): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {};
  for (const name of names)
    rows[name] = await readRows(
      db,
      `select * except computed_at from ${name}${PARAMETERS[name] ?? ''} order by all`,
    );
  return rows;
}

/** The log is compared elsewhere. */
function withoutLog({ partitions, ...stored }: Awaited<ReturnType<typeof readShardedAccounting>>) {
  return { ...stored, partitions: partitions.map((partition) => ({ ...partition, inFlight: 0n })) };
}

async function problemOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'no problem';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
