import { expect } from 'chai';
import { sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import {
  type UsageBody,
  type UsageQuery,
  countAll,
  hourly,
  keepCounts,
  readUsage,
} from '../../../support/admin-api/usage.ts';

describe('usage of a window', () => {
  const world = sharedCountedAdminWorld({ RETENTION_HOURLY_DAYS: '3650', RETENTION_DAILY_MONTHS: '600' });
  before(async () => {
    await keepCounts(world.clickhouse);
    await countAll(world.clickhouse, [
      { at: '2025-10-10T05:00:00Z', feature_name: 'first' },
      ...hourly('2025-10-25T20:00:00Z', '2025-10-27T02:00:00Z'),
      ...hourly('2026-03-28T21:00:00Z', '2026-03-30T01:00:00Z', { feature_name: 'spring' }),
      { at: '2026-01-31T22:00:00Z', feature_name: 'borders', yes: 3 },
      { at: '2026-01-31T23:00:00Z', feature_name: 'borders', yes: 5 },
      { at: '2026-02-01T23:00:00Z', feature_name: 'borders', yes: 7 },
      { at: '2026-05-04T10:00:00Z', feature_name: 'groups', yes: 10, no: 1, app_name: 'shop' },
      { at: '2026-05-04T10:00:00Z', feature_name: 'groups', yes: 20, no: 2, app_name: 'mobile' },
      { at: '2026-05-05T10:00:00Z', feature_name: 'groups', yes: 4, no: 0, app_name: 'mobile' },
      {
        at: '2026-05-05T11:00:00Z',
        feature_name: 'groups',
        yes: 2,
        no: 3,
        app_name: 'batch',
        environment: 'test',
      },
      {
        at: '2026-05-02T11:00:00Z',
        feature_name: 'groups',
        yes: 90,
        no: 3,
        app_name: 'batch',
        environment: 'test',
      },
      {
        at: '2026-05-04T11:00:00Z',
        feature_name: 'served',
        yes: 9,
        variants: ['red', 'blue'],
        variant_counts: [2, 7],
      },
      {
        at: '2026-05-05T11:00:00Z',
        feature_name: 'served',
        yes: 4,
        variants: ['red', 'blue'],
        variant_counts: [1, 3],
      },
    ]);
  });

  const read = (query: UsageQuery) => readUsage(world, query);

  describe('by local days', () => {
    it('has 25 hours on the day when clocks go back, and 23 when they go forward', async () => {
      const autumn = {
        feature: 'a',
        timezone: 'Europe/Berlin',
        from: '2025-10-25T12:00:00Z',
        to: '2025-10-27T12:00:00Z',
      };
      const { series, starts, from, to } = await read({ ...autumn });
      expect(starts).to.deep.equal([
        '2025-10-24T22:00:00.000Z',
        '2025-10-25T22:00:00.000Z',
        '2025-10-26T23:00:00.000Z',
      ]);
      expect({ from, to }).to.deep.equal({ from: starts[0], to: '2025-10-27T23:00:00.000Z' });
      expect(series.map(({ yes }) => yes)).to.deep.equal([[2, 25, 3]]);
      const spring = { feature: 'spring', from: '2026-03-28T12:00:00Z', to: '2026-03-30T12:00:00Z' };
      expect((await read({ ...spring, timezone: 'Europe/Berlin' })).series[0]?.yes).to.deep.equal([2, 23, 3]);
      expect((await read({ ...spring })).series[0]?.yes).to.deep.equal([3, 24, 1]);
    });

    it('counts an hour that two days share on the day in which it begins', async () => {
      const window = { feature: 'a', from: '2025-10-26T00:00:00Z', to: '2025-10-26T20:00:00Z' };
      const { series, starts } = await read({ ...window, timezone: 'Asia/Kolkata' });
      expect(starts).to.deep.equal(['2025-10-25T18:30:00.000Z', '2025-10-26T18:30:00.000Z']);
      expect(series[0]?.yes).to.deep.equal([23, 7]);
    });
  });

  it('by week and by month keeps to the borders of the time zone', async () => {
    const window = { feature: 'borders', from: '2026-01-20T00:00:00Z', to: '2026-02-03T00:00:00Z' };
    const counts = async (interval: string, timezone: string) =>
      (await read({ ...window, interval, timezone })).series[0]?.yes;
    expect(await counts('month', 'UTC')).to.deep.equal([8, 7]);
    expect(await counts('month', 'Europe/Berlin')).to.deep.equal([3, 12]);
    expect(await counts('week', 'UTC')).to.deep.equal([0, 15, 0]);
    expect(await counts('week', 'Europe/Berlin')).to.deep.equal([0, 8, 7]);
  });

  it('by hour has every hour, whatever the time zone', async () => {
    const window = {
      feature: 'borders',
      from: '2026-01-31T21:30:00Z',
      to: '2026-02-01T00:00:00Z',
      interval: 'hour',
    };
    for (const timezone of ['UTC', 'Asia/Kolkata']) {
      const { series, starts } = await read({ ...window, timezone });
      expect(starts[0]).to.equal('2026-01-31T21:00:00.000Z');
      expect(series[0]?.yes, timezone).to.deep.equal([0, 3, 5]);
    }
  });

  it('of many features has one series for each, in the order of the request, also without evaluations', async () => {
    const feature = ['spring', 'never', ...Array.from({ length: 197 }, (_, index) => `f${index}`), 'borders'];
    const { series } = await read({
      feature,
      from: '2026-01-01T00:00:00Z',
      to: '2026-04-01T00:00:00Z',
      interval: 'month',
    });
    expect(series.map((one) => one.feature)).to.deep.equal(feature);
    expect(series[0]?.yes).to.deep.equal([0, 0, 28]);
    expect(series[1]).to.deep.include({
      yes: [0, 0, 0],
      no: [0, 0, 0],
      total: { yes: 0, no: 0, unknown: 0 },
    });
    expect(series[199]).to.deep.include({ yes: [8, 7, 0], group: null, previous: null });
  });

  it('of all features adds them up', async () => {
    const { series } = await read({ from: '2026-05-04T00:00:00Z', to: '2026-05-06T00:00:00Z' });
    expect(series).to.have.length(1);
    expect(series[0]).to.deep.include({ feature: null, group: null, yes: [39, 10], no: [3, 3] });
  });

  describe('in groups', () => {
    const window = { feature: 'groups', from: '2026-05-04T00:00:00Z', to: '2026-05-06T00:00:00Z' };
    const shown = ({ series }: UsageBody) => series.map(({ group, yes, no }) => ({ group, yes, no }));

    it('has one series for each application or environment, the largest first', async () => {
      expect(shown(await read({ ...window, groupBy: 'application' }))).to.deep.equal([
        { group: 'mobile', yes: [20, 4], no: [2, 0] },
        { group: 'shop', yes: [10, 0], no: [1, 0] },
        { group: 'batch', yes: [0, 2], no: [0, 3] },
      ]);
      expect(shown(await read({ ...window, groupBy: 'environment' }))).to.deep.equal([
        { group: 'production', yes: [30, 4], no: [3, 0] },
        { group: 'test', yes: [0, 2], no: [0, 3] },
      ]);
    });

    it('adds up the groups beyond the requested number', async () => {
      const few = { ...window, groupBy: 'application', groups: '1' };
      expect(shown(await read(few))).to.deep.equal([
        { group: 'mobile', yes: [20, 4], no: [2, 0] },
        { group: null, yes: [10, 2], no: [1, 3] },
      ]);
      const { series } = await read({ ...few, previous: 'true' });
      expect(series.map(({ previous }) => previous)).to.deep.equal([
        { yes: 0, no: 0, unknown: 0 },
        { yes: 90, no: 3, unknown: 0 },
      ]);
    });

    it('has the served variants', async () => {
      const { series } = await read({ ...window, feature: 'served', groupBy: 'variant' });
      expect(series).to.deep.equal([
        { feature: 'served', group: 'blue', total: { served: 10 }, previous: null, served: [7, 3] },
        { feature: 'served', group: 'red', total: { served: 3 }, previous: null, served: [2, 1] },
      ]);
    });

    it('has no series for a feature without evaluations', async () => {
      expect((await read({ ...window, feature: 'never', groupBy: 'variant' })).series).to.deep.equal([]);
    });
  });

  it('may be limited to an environment and an application', async () => {
    const window = { feature: 'groups', from: '2026-05-04T00:00:00Z', to: '2026-05-06T00:00:00Z' };
    expect((await read({ ...window, environment: 'test' })).series[0]?.yes).to.deep.equal([0, 2]);
    expect((await read({ ...window, application: 'mobile' })).series[0]?.yes).to.deep.equal([20, 4]);
    const none = await read({ ...window, application: 'mobile', environment: 'test' });
    expect(none.series[0]?.yes).to.deep.equal([0, 0]);
  });

  it('has the totals of as many buckets before it', async () => {
    const { series } = await read({
      feature: ['groups', 'served'],
      from: '2026-05-04T00:00:00Z',
      to: '2026-05-06T00:00:00Z',
      previous: 'true',
    });
    expect(series.map(({ total, previous }) => ({ total, previous }))).to.deep.equal([
      { total: { yes: 36, no: 6, unknown: 0 }, previous: { yes: 90, no: 3, unknown: 0 } },
      { total: { yes: 13, no: 0, unknown: 0 }, previous: { yes: 0, no: 0, unknown: 0 } },
    ]);
  });
});
