import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { type Config, readConfig } from '#base/runtime';
import { eventually } from '../../support/eventually.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { sharedWorld } from '../../support/world.ts';

describe('flagmeter retention', () => {
  const world = sharedWorld();

  it('shows that every table is as configured after the setup', async () => {
    const { output } = await retention({});

    expect(output).to.match(/^usage_hourly +hour \+ toIntervalDay\(90\) /m);
    expect(output).to.include('All tables are as configured.');
  });

  it('lengthens only after --yes, and stored rows stay', async () => {
    const longer = { RETENTION_HOURLY_DAYS: '200' };
    const plan = await retention(longer);
    expect(plan.output).to.include('usage_hourly: kept longer; deletes no rows.');
    expect(plan.output).to.include('Nothing was changed');
    expect(await ruleOf('usage_hourly')).to.equal('hour + toIntervalDay(90)');

    await retention(longer, '--yes');
    expect(await ruleOf('usage_hourly')).to.equal('hour + toIntervalDay(200)');
    expect(await ruleOf('variants_hourly')).to.equal('hour + toIntervalDay(200)');
    expect((await retention(longer)).output).to.include('All tables are as configured.');
  });

  it('shows what a shorter rule deletes, and deletes it after --yes', async () => {
    await runStatement(
      world.clickhouse,
      `insert into usage_hourly (feature_name, environment, app_name, hour, yes, no, reports)
       select 'old', 'production', 'app', toStartOfHour(now('UTC')) - toIntervalDay(150 - number % 2), number, 0, 1
       from numbers(4)
       union all
       select 'young', 'production', 'app', toStartOfHour(now('UTC')), 1, 0, 1`,
    );
    const plan = await retention({ RETENTION_HOURLY_DAYS: '100' });
    expect(plan.output).to.match(/usage_hourly: kept shorter; deletes [24] rows of 2 days for ever\./);
    expect(await features()).to.deep.equal(['old', 'young']);

    await retention({ RETENTION_HOURLY_DAYS: '100' }, '--yes');
    await eventually(features, (names) => names.length === 1);
    expect(await features()).to.deep.equal(['young']);
  });

  function retention(settings: Record<string, string>, ...args: readonly string[]) {
    const config: Config = readConfig({ ...world.env, ...settings });
    return callCli({ ...world, config }, 'retention', ...args);
  }

  async function ruleOf(table: string): Promise<unknown> {
    const [row] = await world.query('select kept from retention where table_name = {table:String}', {
      table,
    });
    return row?.['kept'];
  }

  async function features(): Promise<unknown[]> {
    const rows = await world.query('select distinct feature_name from usage_by_hour order by feature_name');
    return rows.map((row) => row['feature_name']);
  }
});
