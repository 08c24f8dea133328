import { expect } from 'chai';
import { featureVerdictsAt } from '../../support/builders/history.ts';
import { sharedWorld } from '../../support/world.ts';

const DAY_S = 86_400;

type Count = {
  readonly feature: string;
  readonly daysAgo: number;
  readonly yes?: number;
  readonly served?: number;
};
type Seen = { feature_name: string; first_days_ago: number; last_hour: string; has_excess: boolean };

describe('the record of an application and a feature', () => {
  const world = sharedWorld();
  /** Of yesterday. */
  const noonS = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S - DAY_S / 2;

  before(async () => {
    await insertBlock([
      { feature: 'too-many', daysAgo: 1, yes: 5, served: 7 },
      { feature: 'in-two-blocks', daysAgo: 1, yes: 5 },
      { feature: 'as-many', daysAgo: 1, yes: 5, served: 5 },
      { feature: 'as-many', daysAgo: 20, yes: 5 },
    ]);
    await insertBlock([{ feature: 'in-two-blocks', daysAgo: 1, served: 3 }]);
  });

  it('holds the first and the last hour, and whether a block had more variants than evaluations', async () => {
    expect(await readSeen()).to.deep.equal([
      { feature_name: 'as-many', first_days_ago: 20, last_hour: 'noon', has_excess: false },
      { feature_name: 'in-two-blocks', first_days_ago: 1, last_hour: 'noon', has_excess: true },
      { feature_name: 'too-many', first_days_ago: 1, last_hour: 'noon', has_excess: true },
    ]);
  });

  it('is only a suspicion: the sum check adds up the day', async () => {
    const rows = await world.query(
      `select feature_name, toUInt32(value) as excess
       from ${featureVerdictsAt(noonS + DAY_S)}
       where verdict = 'sum_check'`,
    );
    expect(rows).to.deep.equal([{ feature_name: 'too-many', excess: 2 }]);
  });

  /** Counts of one application, each at noon. */
  async function insertBlock(counts: readonly Count[]): Promise<void> {
    const values = counts.map(({ feature, daysAgo, yes = 0, served }) => ({
      kind: 'count',
      feature_name: feature,
      app_name: 'shop',
      environment: 'production',
      hour: noonS - (daysAgo - 1) * DAY_S,
      yes,
      reports: 1,
      variants: served === undefined ? [] : ['blue', 'red'],
      variant_counts: served === undefined ? [] : [1, served - 1],
    }));
    await world.clickhouse.insert({ table: 'block_rows', values, format: 'JSONEachRow' });
  }

  function readSeen(): Promise<Seen[]> {
    return world.query<Seen>(
      `select
         feature_name,
         toInt32(toDate(${noonS + DAY_S}) - toDate(first_hour)) as first_days_ago,
         if(toUnixTimestamp(last_hour) = ${noonS}, 'noon', toString(last_hour)) as last_hour,
         toBool(excess_hour > 0) as has_excess
       from feature_app_seen_states final
       order by feature_name`,
    );
  }
});
