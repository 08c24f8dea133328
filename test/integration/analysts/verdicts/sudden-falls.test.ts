import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { type History, createHistory, featureVerdictsAt } from '../../../support/builders/history.ts';
import { isNight, someByDay } from '../../../support/nightly.ts';
import { sharedWorld } from '../../../support/world.ts';
import { type Arrival, MINUTES_OF_DAY, eachMinute, writeArrivals } from './arrivals.ts';
import { harmlessTraffic } from './harmless-traffic.ts';

const A_WEEK = 7 * 24;
const A_DAY_AGO = { until: MINUTES_OF_DAY };

describe('the verdict cliff, by the minutes in which counts arrived', () => {
  const world = sharedWorld();

  describe('of single features', () => {
    let found: Map<string, string>;
    before(async () => {
      const history = createHistory();
      const arrivals = [
        ...usual(history, { features: 7 }),
        ...fallAlone(history, { feature: 'falls-below-a-quarter', now: 4 }),
        ...fallAlone(history, { feature: 'falls-to-nothing', now: 0 }),
        ...fallAlone(history, { feature: 'falls-for-hours-too', now: 0 }),
        ...fallAlone(history, { feature: 'falls-to-a-quarter', now: 5 }),
        ...fallAlone(history, {
          feature: 'as-a-week-before',
          now: 5,
          aDayBefore: 40,
          aWeekBefore: [2400, 1200],
        }),
        ...fallAlone(history, { feature: 'not-there-a-week-before', now: 0, aWeekBefore: [1200] }),
        ...fallAlone(history, { feature: 'too-few', now: 0, aDayBefore: 16 }),
        ...fallAlone(history, { feature: 'in-batches', now: 0, aDayBefore: 30, minutes: 44 }),
      ];
      history.evaluated({
        feature: 'falls-for-hours-too',
        hoursAgo: A_WEEK + 3,
        yes: 30_000,
        environment: 'falls',
      });
      await history.write(world);
      await writeArrivals(world, history, arrivals);
      found = await cliffs(history, ['falls']);
    });

    it('is found below a quarter of a day and of a week before, if others arrive as usual', () => {
      expect(Array.from(found.keys())).to.deep.equal([
        'falls-below-a-quarter',
        'falls-for-hours-too',
        'falls-to-nothing',
      ]);
    });

    it('says when counts arrived, unless whole hours are low', () => {
      expect(found.get('falls-below-a-quarter')).to.match(
        /^Counts of 240 evaluations arrived in the 60 minutes before \S+ \d\d:05 UTC, and of 1200 in the same minutes a day before; a week before it was evaluated at least 1200 times an hour\.$/,
      );
      expect(found.get('falls-for-hours-too')).to.match(
        /^It was evaluated 10000 times in the 6 hours before /,
      );
    });
  });

  it('is found only if nothing else that may wait beside it fell too', async () => {
    const history = createHistory();
    const some = ['a', 'b', 'c'];
    const falls = (environment: string, of: Omit<Fall, 'feature' | 'environment' | 'now'> = {}) =>
      some.flatMap((name) =>
        fall(history, { feature: `${environment} ${name}`, environment, now: 0, ...of }),
      );
    const arrivals = [
      ...falls('of all'),
      // Their relay pauses, or the partition of their counts.
      ...falls('of some'),
      ...usual(history, { environment: 'of some', features: 7 }),
      // As their relays try again at other times after an outage.
      ...some.flatMap((name, index) =>
        fall(history, {
          feature: `turn ${name}`,
          environment: 'in turn',
          now: 0,
          arrivedUntil: 50 + 5 * index,
        }),
      ),
      ...usual(history, { environment: 'in turn', features: 7 }),
      ...some.flatMap((app) =>
        fall(history, { feature: `only feature of ${app}`, environment: 'alone', app, now: 0 }),
      ),
      ...usual(history, { environment: 'alone', features: 7 }),
      ...fall(history, { feature: 'beside a small one', environment: 'small', now: 0 }),
      ...fall(history, { feature: 'the small one', environment: 'small', now: 0, aDayBefore: 2 }),
      ...usual(history, { environment: 'small', features: 7 }),
      // Four fifths of its counts come from an application that pauses.
      ...fall(history, { feature: 'mostly of one', environment: 'shared', app: 'pauses', now: 0 }),
      ...fall(history, { feature: 'mostly of one', environment: 'shared', now: 5, aDayBefore: 5 }),
      ...fall(history, { feature: 'of one only', environment: 'shared', app: 'pauses', now: 0 }),
      ...usual(history, { environment: 'shared', features: 7 }),
      ...fall(history, { feature: 'stops', environment: 'partly', now: 0, arrivedUntil: 50 }),
      ...fall(history, { feature: 'stops', environment: 'partly', app: 'rare', now: 0, aDayBefore: 1 }),
      ...usual(history, { environment: 'partly', features: 2 }),
    ];
    await history.write(world);
    await writeArrivals(world, history, arrivals);
    const environments = [...new Set(arrivals.map(({ environment }) => environment))];
    expect([...(await cliffs(history, environments)).keys()]).to.deep.equal(['stops']);
  });

  it('calls harmless traffic a cliff no more often than hours alone do', async () => {
    const history = createHistory();
    const looks = someByDay([0, 4, 8, 12, 16, 20], 1 / 6);
    const arrivals = harmlessTraffic(history, { features: isNight() ? 300 : 60, looks });
    await history.write(world);
    const alarms = async () => {
      const names: string[] = [];
      for (const hoursAgo of looks)
        for (const feature of (await cliffs(history, ['harmless'], hoursAgo)).keys())
          names.push(`${feature} ${hoursAgo}`);
      return names;
    };
    const ofHours = await alarms();
    await writeArrivals(world, history, arrivals);
    const withMinutes = await alarms();
    expect(withMinutes).to.deep.equal(ofHours);
  }).timeout(600_000);

  it('reads few minutes of other hours', async () => {
    const { atS } = createHistory();
    const hours = 48;
    await runStatement(
      world.clickhouse,
      `insert into usage_minutely (feature_name, environment, app_name, minute, yes, no, unknown, reports)
       select toString(number), 'read', 'app', toDateTime(${atS}, 'UTC') - interval intDiv(number, 4000) hour, 1, 0, 0, 1
       from numbers(${hours} * 4000)`,
    );
    // On a busy machine many parts wait to be merged, and each has a granule at least.
    await runStatement(world.clickhouse, 'optimize table usage_minutely final');
    const lines = await world.query<{ explain: string }>(
      `explain indexes = 1 select * from ${featureVerdictsAt(atS)}`,
    );
    const plan = lines.map(({ explain }) => explain).join('\n');
    const [, ofMinutes = ''] = plan.split(/ReadFromMergeTree \(\S*usage_minutely\)/);
    const granules = [...(ofMinutes.split('ReadFromMergeTree')[0] ?? '').matchAll(/Granules: (\d+)\/(\d+)/g)];
    expect(Number(granules[0]?.[2])).to.be.greaterThan(20);
    expect(Number(granules.at(-1)?.[1])).to.be.within(2, 10);
  });

  async function cliffs(history: History, environments: readonly string[], hoursAgo = 0) {
    const rows = await world.query<{ feature_name: string; sentence: string }>(
      `select feature_name, sentence
       from ${featureVerdictsAt(history.atS - hoursAgo * 3600)}
       where verdict = 'cliff' and environment in {environments:Array(String)}
       order by feature_name`,
      { environments },
    );
    expect(new Set(rows.map(({ feature_name }) => feature_name))).to.have.property('size', rows.length);
    return new Map(rows.map(({ feature_name, sentence }) => [feature_name, sentence]));
  }
});

type Fall = {
  readonly feature: string;
  readonly environment?: string;
  readonly app?: string;
  /** Evaluations in each minute. */
  readonly now: number;
  /** So many minutes ago it was still as a day before. */
  readonly arrivedUntil?: number;
  readonly aDayBefore?: number;
  /** In which they arrived a day before. */
  readonly minutes?: number;
  /** Evaluations in the last hours. */
  readonly aWeekBefore?: readonly number[];
};

/** A feature that was evaluated as usual until an hour ago. */
function fall(history: History, options: Fall): Arrival[] {
  const { feature, environment = 'falls', app, now, arrivedUntil = 60 } = options;
  const { aDayBefore = 20, minutes = 60, aWeekBefore = [1200, 1200] } = options;
  const names = { feature, environment, ...(app !== undefined && { app }) };
  for (const [index, yes] of aWeekBefore.entries())
    history.evaluated({ ...names, hoursAgo: A_WEEK + index, yes });
  history.evaluated({ ...names, hoursAgo: 5, yes: 10_000 });
  const after = { minutes: arrivedUntil };
  return [
    ...eachMinute({ ...names, evaluations: aDayBefore }, { ...A_DAY_AGO, minutes }),
    ...eachMinute({ ...names, evaluations: aDayBefore }, { until: arrivedUntil, minutes: 60 - arrivedUntil }),
    ...(now === 0 ? [] : eachMinute({ ...names, evaluations: now }, after)),
  ];
}

/** Features that are evaluated as ever. */
function usual(history: History, { environment = 'falls', features }: UsualOnes): Arrival[] {
  const numbers = Array.from({ length: features }, (_, index) => index + 1);
  return numbers.flatMap((number) => fall(history, { feature: `usual-${number}`, environment, now: 20 }));
}

type UsualOnes = { readonly environment?: string; readonly features: number };

/** A feature of an application of its own, which evaluates another one as ever. */
function fallAlone(history: History, options: Fall): Arrival[] {
  const app = `app of ${options.feature}`;
  const other = { feature: 'usual-1', app, environment: 'falls', evaluations: 1 };
  return [...fall(history, { ...options, app }), ...eachMinute(other, A_DAY_AGO), ...eachMinute(other)];
}
