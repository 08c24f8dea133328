import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { type World, createWorld } from '../../support/world.ts';

const FORMULA = readFileSync('infra/migrations/clickhouse/included/chi_square_p_value.sql', 'utf8');
/** When the configurations came into force: the start of an hour two days ago. */
const SINCE = `toDateTime(${Math.floor(Date.now() / 3_600_000) * 3600 - 2 * 86_400}, 'UTC')`;

describe('configured and served', () => {
  let world: World;
  before(async () => {
    world = await createWorld();
    await insert(
      'feature_copies',
      `name, project, environments, are_enabled, strategies, constraints, rollout_percents, variants, changed_at`,
      `select c.1, 'default', ['production'], [true], ['[]'], ['[]'], [c.2], [c.3], [(${SINCE})::DateTime64(3, 'UTC')]
       from (
         select arrayJoin([
           ('rollout', 50::Nullable(Float64), map()::Map(String, UInt32)),
           ('by-context', null, map()),
           ('fair', 100, map('a', 500, 'b', 300, 'c', 200)),
           ('skewed', 100, map('a', 500, 'b', 500)),
           ('rare', 100, map('a', 999, 'b', 1))
         ]) as c
       )`,
    );
  });
  after(() => world.dispose());

  describe('p-value', () => {
    // Critical values from tables of the chi-square distribution.
    const TABLE = [
      { chi_square: 3.841, degrees: 1, p: 0.05 },
      { chi_square: 10.828, degrees: 1, p: 0.001 },
      { chi_square: 5.991, degrees: 2, p: 0.05 },
      { chi_square: 7.815, degrees: 3, p: 0.05 },
      { chi_square: 16.266, degrees: 3, p: 0.001 },
      { chi_square: 13.277, degrees: 4, p: 0.01 },
      { chi_square: 3.94, degrees: 10, p: 0.95 },
      { chi_square: 30.144, degrees: 19, p: 0.05 },
      { chi_square: 124.342, degrees: 100, p: 0.05 },
    ];
    for (const { chi_square, degrees, p } of TABLE)
      it(`is ${p} at ${chi_square} with ${degrees} degrees of freedom`, async () => {
        expect(await pValueOf(chi_square, degrees)).to.be.closeTo(p, p / 500);
      });

    it('is 1 without deviation, and 0 for an enormous one', async () => {
      expect(await pValueOf(0, 3)).to.equal(1);
      expect(await pValueOf(1e9, 4)).to.equal(0);
      expect(await pValueOf(1e9, 5)).to.equal(0);
    });

    async function pValueOf(chiSquare: number, degrees: number): Promise<number | undefined> {
      const [row] = await world.query<{ p_value: number }>(
        `with {chiSquare:Float64} as chi_square, {degrees:UInt32} as degrees select ${FORMULA}`,
        { chiSquare, degrees },
      );
      return row?.p_value;
    }
  });

  it('judges the split of each experiment since its configuration is in force', async () => {
    await serve('fair', { a: 500, b: 290, c: 210 });
    await serve('skewed', { a: 600, b: 400, old: 7, disabled: 50 });
    await serve('rare', { a: 1000 });
    // The hour of the change and the hours before it do not count.
    await serve('fair', { c: 9999 }, 0);
    await serve('fair', { c: 9999 }, -1);
    await refreshVerdicts(world.clickhouse);

    const rows = await world.query(
      `select feature_name, variant, weight, served, round(served_percent, 1) as percent, round(chi_square, 3) as chi_square,
         degrees, round(p_value, 4) as p, verdict
       from experiment_results
       order by feature_name, variant`,
    );
    const fair = { feature_name: 'fair', chi_square: 0.833, degrees: 2, p: 0.6592, verdict: 'as configured' };
    const skewed = { feature_name: 'skewed', chi_square: 40, degrees: 1, p: 0, verdict: 'mismatch' };
    const rare = { feature_name: 'rare', chi_square: 1.001, degrees: 1, p: 0.3171, verdict: 'too few' };
    expect(rows).to.deep.equal([
      { ...fair, variant: 'a', weight: 500, served: '500', percent: 50 },
      { ...fair, variant: 'b', weight: 300, served: '290', percent: 29 },
      { ...fair, variant: 'c', weight: 200, served: '210', percent: 21 },
      { ...rare, variant: 'a', weight: 999, served: '1000', percent: 100 },
      { ...rare, variant: 'b', weight: 1, served: '0', percent: 0 },
      { ...skewed, variant: 'a', weight: 500, served: '600', percent: 60 },
      { ...skewed, variant: 'b', weight: 500, served: '400', percent: 40 },
      { ...skewed, variant: 'old', weight: 0, served: '7', percent: 0.7, verdict: 'not configured' },
    ]);
  });

  it('compares the configured share with the served one, hour by hour', async () => {
    await evaluate('rollout', { yes: 50, no: 50, hour: -1 });
    await evaluate('rollout', { yes: 200, no: 200, hour: 0 });
    await evaluate('rollout', { yes: 550, no: 450, hour: 1 });
    await evaluate('rollout', { yes: 600, no: 400, hour: 2 });
    await evaluate('rollout', { yes: 400, no: 600, hour: 3 });
    await evaluate('by-context', { yes: 1, no: 9, hour: 1 });

    const rows = await world.query(
      `select feature_name, configured_percent as configured, round(deviation, 1) as deviation, round(chance, 1) as chance, verdict
       from rollout_by_hour
       where feature_name in ('rollout', 'by-context')
       order by feature_name, hour`,
    );
    const rollout = { feature_name: 'rollout', configured: 50, chance: 5.2 };
    expect(rows).to.deep.equal([
      { feature_name: 'by-context', configured: null, deviation: null, chance: null, verdict: 'unknown' },
      { feature_name: 'rollout', configured: null, deviation: null, chance: null, verdict: 'unknown' },
      { ...rollout, deviation: 0, chance: 8.2, verdict: 'changed' },
      { ...rollout, deviation: 5, verdict: 'as configured' },
      { ...rollout, deviation: 10, verdict: 'too high' },
      { ...rollout, deviation: -10, verdict: 'too low' },
    ]);
  });

  /** `hour` is relative to the change of the configuration. */
  async function serve(feature: string, counts: Readonly<Record<string, number>>, hour = 1): Promise<void> {
    for (const [variant, count] of Object.entries(counts))
      await insert(
        'variants_hourly',
        'feature_name, environment, app_name, variant, hour, count',
        `select '${feature}', 'production', 'shop', '${variant}', ${SINCE} + interval ${hour} hour, ${count}`,
      );
  }

  async function evaluate(feature: string, { yes, no, hour }: { yes: number; no: number; hour: number }) {
    await insert(
      'usage_hourly',
      'feature_name, environment, app_name, hour, yes, no, reports',
      `select '${feature}', 'production', 'shop', ${SINCE} + interval ${hour} hour, ${yes}, ${no}, 1`,
    );
  }

  async function insert(table: string, columns: string, select: string): Promise<void> {
    await world.clickhouse.command({
      query: `insert into ${table} (${columns}) ${select}`,
      clickhouse_settings: { async_insert: 0, wait_end_of_query: 1, insert_deduplicate: 0 },
    });
  }
});
