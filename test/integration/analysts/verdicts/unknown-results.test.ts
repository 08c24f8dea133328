import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { createHistory, featureVerdictsAt, untilHistoryLasts } from '../../../support/builders/history.ts';
import { sharedWorld } from '../../../support/world.ts';

const LONG_AGO = { first: 31 * 24, last: 1 };
const A_WEEK_AGO = 7 * 24 + 3;

describe('verdicts on features with results that nobody reported', () => {
  const world = sharedWorld();
  let verdicts: Map<string, string>;

  before(async () => {
    await untilHistoryLasts();
    const history = createHistory();
    for (const feature of ['unsaid', 'mostly-on', 'mostly-off', 'steady', 'off-and-unsaid']) {
      history.exists(feature, { isOn: feature !== 'off-and-unsaid' });
      history.seen(feature, LONG_AGO);
    }
    history.evaluated({ feature: 'unsaid', daysAgo: 2, unknown: 1200 });
    history.evaluated({ feature: 'mostly-on', daysAgo: 2, yes: 1200, unknown: 1 });
    history.evaluated({ feature: 'mostly-off', daysAgo: 2, no: 1200, unknown: 1 });
    history.evaluated({ feature: 'steady', hoursAgo: A_WEEK_AGO, yes: 1000 });
    history.evaluated({ feature: 'steady', hoursAgo: 2, unknown: 1000 });
    history.evaluated({ feature: 'off-and-unsaid', hoursAgo: 2, yes: 2, unknown: 1200 });
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
    const rows = await world.query<{ feature_name: string; verdict: string; sentence: string }>(
      `select feature_name, verdict, sentence from ${featureVerdictsAt(history.atS)}`,
    );
    verdicts = new Map(rows.map((row) => [`${row.verdict} ${row.feature_name}`, row.sentence]));
  });

  it('are not that they are constant, nor evidence for archiving', () => {
    const constant = [...verdicts.keys()].filter((key) => /^(always_|archive_)/.test(key));
    expect(constant).to.deep.equal([]);
  });

  it('count them as evaluations where the result does not matter', () => {
    expect([...verdicts.keys()].filter((key) => /^(cliff|silent)/.test(key))).to.deep.equal([]);
    expect(verdicts.get('called_while_off off-and-unsaid')).to.match(
      /^It is off in production and was evaluated 1202 times .*, 2 of them enabled and 1200 with a result that was not reported\.$/,
    );
  });

  it('state no rollout of them', async () => {
    const [row] = await world.query(
      `select max(evaluations) as evaluations, max(served_percent) as percent
       from rollout_by_hour
       where feature_name = 'off-and-unsaid'`,
    );
    expect(row).to.deep.equal({ evaluations: '2', percent: 100 });
    const arms = await world.query(
      `select arm, sum(exposures) as exposures
       from exposures_by_hour
       where feature_name = 'off-and-unsaid'
       group by arm`,
    );
    expect(arms).to.deep.equal([{ arm: 'enabled', exposures: '2' }]);
  });
});
