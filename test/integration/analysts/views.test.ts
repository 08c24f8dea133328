import { expect } from 'chai';
import { syncFeatures, syncInstances, pruneApplications } from '#fleet/catalogue';
import { runStatement } from '#core/clickhouse';
import { eventually } from '../../support/eventually.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { viewsWithParameters } from '../../support/documents/views.ts';
import { sharedWorld } from '../../support/world.ts';

const HOUR = 3_600_000;

describe('views for analysts', () => {
  const world = sharedWorld();
  after(() => changeMerges('start'));

  it('have a comment, and so do all tables and columns', async () => {
    const tables = await world.query(
      `select name from system.tables where database = currentDatabase() and comment = ''`,
    );
    const columns = await world.query(
      `select c.table, c.name
       from system.columns as c
       join system.tables as t on t.database = c.database and t.name = c.table
       where c.database = currentDatabase() and t.engine != 'MaterializedView' and c.comment = ''`,
    );

    expect(tables.filter(({ name }) => !/_view$|^[.](tmp[.])?inner_id/.test(String(name)))).to.deep.equal([]);
    expect(columns).to.deep.equal([]);
  });

  it('return the types that they declare', async () => {
    const views = await world.query<{ name: string }>(
      `select name
       from system.tables
       where database = currentDatabase()
         and engine = 'View'
         and name not in {withParameters:Array(String)}`,
      { withParameters: await viewsWithParameters() },
    );

    expect(views.length).to.be.greaterThan(8);
    for (const { name } of views) {
      const given = await world.query<{ name: string; type: string }>(`describe (select * from ${name})`);
      const declared = await world.query(
        `select name, type from system.columns where database = currentDatabase() and table = {name:String} order by position`,
        { name },
      );
      expect(
        // `describe` breaks long tuples into lines.
        given.map(({ name: column, type }) => ({
          name: column,
          type: type.replaceAll(/\n\s*/g, '').replaceAll(/,(?=\S)/g, ', '),
        })),
        name,
      ).to.deep.equal(declared);
    }
  });

  it('show whether an hour and a day are complete', async () => {
    const now = Date.now();
    // The next hour, because this one may end meanwhile.
    await insertUsage([now + HOUR, now - 2 * HOUR, now - 26 * HOUR]);

    for (const view of ['usage_by_hour', 'usage_by_day']) {
      const time = view === 'usage_by_hour' ? 'hour' : 'day';
      const rows = await world.query<{ is_complete: boolean }>(
        `select is_complete from ${view} order by ${time}`,
      );
      expect(rows[0]).to.deep.equal({ is_complete: true });
      expect(rows.at(-1)).to.deep.equal({ is_complete: false });
    }
  });

  it('with parameters read only the selected rows', async () => {
    await runStatement(
      world.clickhouse,
      `insert into usage_hourly
       select 'feature-' || toString(number % 500), 'production', 'app-' || toString(intDiv(number, 500) % 20),
         toStartOfHour(now('UTC') - interval 60 day) + toIntervalHour(intDiv(number, 10000)), 1, 1, 0, 1
       from numbers(500000)`,
    );
    const call = `feature_usage(feature = 'feature-7', environment = 'production')`;
    const whole = await granulesOf(`select * from ${call}`);
    const aDay = await granulesOf(`select * from ${call} where hour >= now('UTC') - interval 1 day`);
    const [sum] = await world.query(`select sum(yes) as yes, uniqExact(app_name) as apps from ${call}`);

    expect(whole.selected).to.be.lessThan(whole.initial / 5);
    expect(aDay.initial).to.be.at.most(whole.initial);
    expect(aDay.selected).to.be.lessThan(whole.selected);
    expect(sum).to.deep.equal({ yes: '1000', apps: '20' });
  });

  it('compute the retention from the parts on disk', async () => {
    const now = Date.now();
    await insertUsage([now]);
    const [row] = await world.query(
      `select table_name, read_as, newest >= toDate(toDateTime({nowS:UInt32}, 'UTC')) as is_recent, stored_rows > 0 as has_rows, kept
       from retention
       where table_name = 'usage_hourly'`,
      { nowS: Math.floor(now / 1000) },
    );
    const [empty] = await world.query(
      `select oldest, newest, stored_rows from retention where table_name = 'variants_daily'`,
    );

    expect(row).to.deep.equal({
      table_name: 'usage_hourly',
      read_as: [
        'app_totals_by_hour',
        'exposures_by_hour',
        'feature_usage',
        'feature_verdicts_at',
        'totals_by_hour',
        'usage_by_hour',
      ],
      is_recent: 1,
      has_rows: 1,
      kept: 'hour + toIntervalDay(90)',
    });
    expect(empty).to.deep.equal({ oldest: null, newest: null, stored_rows: '0' });
  });

  it('show the features of Postgres, and follow their changes', async () => {
    await world.db.query(`insert into projects (id, name) values ('payments', 'Payments')`);
    await world.db.query(
      `insert into features (name, project, type) values ('basket', 'payments', 'experiment'), ('short-lived', 'default', 'release')`,
    );
    await world.db.query(`insert into feature_environments values ('basket', 'production', true)`);
    await runWorker(world);
    const names = (): Promise<Record<string, unknown>[]> =>
      world.query(
        'select feature_name, project, type, archived, enabled_in from features order by feature_name',
      );
    const synced = await eventually(names, (rows) => rows.length === 2);

    expect(synced[0]).to.deep.equal({
      feature_name: 'basket',
      project: 'payments',
      type: 'experiment',
      archived: false,
      enabled_in: ['production'],
    });

    await world.db.query(`update features set archived_at = now() where name = 'basket'`);
    await world.db.query(`delete from features where name = 'short-lived'`);
    await syncFeatures(world.db, world.clickhouse);
    expect(await names()).to.deep.equal([{ ...synced[0], archived: true }]);
  });

  it('show the instances of recent reports with their latest data, and forget old ones', async () => {
    await world.db.query(
      `insert into client_applications (app_name, seen_at, created_by) values ('shop', now(), 'test')`,
    );
    const report = (version: string): Promise<unknown> =>
      world.db.query(
        `insert into client_instances
           (app_name, environment, instance_id, sdk_version, platform_name, connect_via, interval_ms, last_seen)
         values
           ('shop', 'production', 'one', $1, 'node', $2, 15000, now()),
           ('shop', 'production', 'old', $1, 'node', $2, 15000, now() - interval '31 days')
         on conflict (app_name, environment, instance_id) do update
         set sdk_version = excluded.sdk_version, last_seen = excluded.last_seen, updated_at = now()`,
        [version, '[{"appName":"edge","instanceId":"e1"},{"appName":"hub","instanceId":"h1"}]'],
      );
    // A merge deletes expired rows, which may take long.
    await changeMerges('stop');
    await report('node:1');
    await syncInstances(world.db, world.clickhouse);
    await report('node:2');
    await pruneApplications(world.db, new AbortController().signal);
    await syncInstances(world.db, world.clickhouse);

    expect(
      await world.query('select * except (first_seen, reporting_since, last_seen) from instances'),
    ).to.deep.equal([
      {
        app_name: 'shop',
        environment: 'production',
        instance_id: 'one',
        sdk_version: 'node:2',
        platform_name: 'node',
        platform_version: '',
        yggdrasil_version: '',
        relays: ['edge', 'hub'],
        relay_instances: ['e1', 'h1'],
        interval_ms: 15_000,
      },
    ]);
    expect((await world.db.query('select instance_id from client_instances')).rows).to.have.length(1);
  });

  function changeMerges(change: 'stop' | 'start'): Promise<void> {
    return runStatement(world.clickhouse, `system ${change} merges instance_copies`);
  }

  async function insertUsage(times: readonly number[]): Promise<void> {
    for (const time of times) {
      const hour = Math.floor(time / HOUR) * 3600;
      await runStatement(
        world.clickhouse,
        `insert into block_rows (kind, feature_name, app_name, environment, hour, yes, no, reports)
         values ('count', 'seen', 'app', 'production', toDateTime(${hour}, 'UTC'), 1, 2, 3)`,
      );
    }
  }

  /** Granules before any index and after all of them. */
  async function granulesOf(sql: string): Promise<{ initial: number; selected: number }> {
    const lines = await world.query<{ explain: string }>(`explain indexes = 1 ${sql}`);
    const found = lines.flatMap(({ explain }) => {
      const [, selected, initial] = /Granules: (\d+)\/(\d+)/.exec(explain) ?? [];
      return selected === undefined ? [] : { selected: Number(selected), initial: Number(initial) };
    });
    return { initial: found[0]?.initial ?? 0, selected: found.at(-1)?.selected ?? 0 };
  }
});
