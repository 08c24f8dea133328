import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { sharedWorld } from '../../support/world.ts';
import { planWithProjections } from './projections.ts';

const TABLES = [
  { table: 'usage_hourly', totals: 'totals_by_hour', usage: 'usage_by_hour', time: 'hour' },
  { table: 'usage_daily', totals: 'totals_by_day', usage: 'usage_by_day', time: 'day' },
];
const VIEWS = TABLES.flatMap((names) => [
  { ...names, projection: 'of_all_apps', kept: 'feature_name' },
  { ...names, totals: `app_${names.totals}`, projection: 'of_all_features', kept: 'app_name' },
]);

describe('the totals', () => {
  const world = sharedWorld();

  before(async () => {
    for (const block of [1, 2, 3]) await insertBlock(block);
    await runStatement(
      world.clickhouse,
      `insert into block_rows (kind, app_name, hour, reports) values ('usage_mark', 'a marker', now('UTC'), 5)`,
    );
  });

  it('equal the sums of the usage before any merge', expectSums);

  it('equal the same sums after merges, and a repeated block adds nothing', async () => {
    await mergeAll();
    await insertBlock(2);

    await expectSums();
  });

  for (const { totals, projection } of VIEWS)
    it(`read precomputed sums: ${totals}`, async () => {
      const plan = await planWithProjections(world, `select sum(yes) from ${totals}`);

      expect(plan).to.contain(projection);
    });

  it('add unmerged rows to merged ones', async () => {
    await insertBlock(4);

    await expectSums();
  });

  it('lose the rows that the tables lose', async () => {
    const before = await timesOfViews();
    for (const { table, time } of TABLES)
      await runStatement(world.clickhouse, `alter table ${table} modify ttl ${time} + interval 3 day`, {
        materialize_ttl_after_modify: 1,
        mutations_sync: '1',
      });
    await mergeAll();
    const after = await timesOfViews();

    for (const [index, times] of after.entries()) {
      expect(times, VIEWS[index]?.totals).to.be.lessThan(before[index] ?? 0);
      expect(times, VIEWS[index]?.totals).to.be.greaterThan(0);
    }
    await expectSums();
  });

  async function mergeAll(): Promise<void> {
    for (const { table } of TABLES) await runStatement(world.clickhouse, `optimize table ${table} final`);
  }

  function timesOfViews(): Promise<number[]> {
    return Promise.all(
      VIEWS.map(async ({ totals, time }) => {
        const [row] = await world.query<{ times: string }>(
          `select uniqExact(${time}) as times from ${totals}`,
        );
        return Number(row?.times);
      }),
    );
  }

  async function expectSums(): Promise<void> {
    for (const { totals, usage, time, kept } of VIEWS) {
      const columns = `${time}, environment, ${kept}`;
      const sums = (view: string): Promise<Record<string, unknown>[]> =>
        world.query(
          `select ${columns}, sum(v.yes) as yes, sum(v.no) as no, sum(v.reports) as reports, min(v.is_complete) as is_complete
           from ${view} as v
           group by ${columns}
           order by ${columns}`,
        );
      const wanted = await sums(usage);

      expect(wanted.length, usage).to.be.greaterThan(5);
      expect(await sums(totals), totals).to.deep.equal(wanted);
    }
  }

  /** Three features in four applications, in hours of the last week. The same number gives the same block. */
  async function insertBlock(block: number): Promise<void> {
    await runStatement(
      world.clickhouse,
      `insert into block_rows (kind, feature_name, app_name, environment, hour, yes, no, reports)
       select
         'count',
         concat('feature-', toString(number % 3)),
         concat('app-', toString(intDiv(number, 3) % 4)),
         'production',
         toStartOfHour(now('UTC')) - toIntervalHour(intDiv(number, 12) * 7 + ${block}),
         cityHash64(number, ${block}) % 1000,
         cityHash64(${block}, number) % 1000,
         1
       from numbers(288)`,
      {
        async_insert: 0,
        insert_deduplicate: 1,
        insert_deduplication_token: `block-${block}`,
        deduplicate_blocks_in_dependent_materialized_views: 1,
      },
    );
  }
});
