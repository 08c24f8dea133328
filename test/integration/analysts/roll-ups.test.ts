import { expect } from 'chai';
import { readRows } from '#core/clickhouse';
import { generateCatalogue } from '../../../tools/bench/reads/catalogue.ts';
import { parametersOf, readQuestions } from '../../../tools/bench/reads/reads.ts';
import { type RollUps, generateRollUps } from '../../../tools/bench/reads/roll-ups.ts';
import { itNightly } from '../../support/nightly.ts';
import { sharedWorld } from '../../support/world.ts';

const SMALL: RollUps = {
  features: 60,
  apps: 6,
  appsPerFeature: 3,
  environments: ['development', 'production'],
  days: 3,
  evaluationsPerDay: 1_000_000,
};

describe('generated roll-ups', () => {
  const world = sharedWorld();

  before(() => generateRollUps(world.clickhouse, SMALL));

  it('have a row for every hour, environment and application of a feature', async () => {
    const [shape] = await world.query(
      `select
         toUInt32(count()) as hours,
         toUInt32(uniqExact(feature_name)) as features,
         toUInt32(uniqExact(app_name)) as apps,
         toUInt32(max(per_feature)) as max_apps
       from usage_by_hour
       join (select feature_name, uniqExact(app_name) as per_feature from usage_by_hour group by feature_name) as f
         using (feature_name)`,
    );
    expect(shape).to.deep.equal({ hours: 60 * 3 * 2 * 72, features: 60, apps: 6, max_apps: 3 });
  });

  it('have about as many evaluations a day as configured, per hour and per day', async () => {
    const [sums] = await world.query<{ by_hour: number; by_day: number }>(
      `select
         toUInt32((select sum(u.yes + u.no) from usage_by_hour as u)) as by_hour,
         toUInt32((select sum(u.yes + u.no) from usage_by_day as u)) as by_day`,
    );
    expect(sums?.by_hour).to.equal(sums?.by_day);
    expect((sums?.by_hour ?? 0) / SMALL.days).to.be.within(800_000, 1_200_000);
  });

  it('serve variants of every tenth feature to everybody for whom it is on', async () => {
    const rows = await world.query<{ feature_name: string; difference: number }>(
      `select feature_name, toInt32(toInt64(sum(u.yes)) - toInt64(any(served.all))) as difference
       from usage_by_hour as u
       join (select feature_name, sum(v.count) as all from variants_by_hour as v group by feature_name) as served
         using (feature_name)
       group by feature_name
       order by feature_name`,
    );
    expect(rows.map(({ feature_name }) => feature_name)).to.deep.equal(
      ['00000', '00010', '00020', '00030', '00040', '00050'].map((digits) => `feature-${digits}`),
    );
    expect(rows.filter(({ difference }) => difference !== 0)).to.deep.equal([]);
  });

  it('show when each feature and application was seen', async () => {
    const [seen] = await world.query(
      `select
         (select toUInt32(uniqExact(feature_name)) from feature_seen) as features,
         (select toUInt32(uniqExact(app_name)) from app_seen) as apps,
         (select dateDiff('hour', min(first_hour), max(last_hour)) from feature_seen)::UInt32 as hours`,
    );
    expect(seen).to.deep.equal({ features: 60, apps: 6, hours: 71 });
  });

  itNightly('answer every question that the benchmark asks, of every view and of the cookbook', async () => {
    await generateCatalogue(world.config, world.clickhouse, SMALL);
    const questions = Object.entries(await readQuestions(world.clickhouse));

    expect(questions.length).to.be.greaterThan(50);
    for (const [, sql] of questions) await readRows(world.clickhouse, sql, parametersOf(3, SMALL));
    const [verdicts] = await world.query<{ kinds: string[] }>(
      'select arraySort(groupUniqArray(verdict)) as kinds from feature_verdicts',
    );
    expect(verdicts?.kinds).to.include('unknown');
  });
});
