import { expect } from 'chai';
import { sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { type UsageQuery, askUsage, countAll, readUsage } from '../../../support/admin-api/usage.ts';

const MINUTE_MS = 60_000;

describe('usage by minute', () => {
  const world = sharedCountedAdminWorld();
  const now = Date.now();
  /** The start of the minute that was so many minutes ago. */
  const minutesAgo = (minutes: number): number => now - (now % MINUTE_MS) - minutes * MINUTE_MS;
  const iso = (ms: number): string => new Date(ms).toISOString();
  const window = { interval: 'minute', from: iso(minutesAgo(9)), to: iso(minutesAgo(5)) };

  before(() =>
    countAll(
      world.clickhouse,
      [
        { minutes: 10, yes: 9 },
        { minutes: 8, yes: 2, variants: ['blue', 'red'], variant_counts: [1, 1] },
        // Evaluated four hours before it arrived.
        { minutes: 8, hoursBefore: 4, yes: 3, app_name: 'offline', variants: ['blue'], variant_counts: [2] },
        { minutes: 6, yes: 0, no: 5, feature_name: 'b', environment: 'staging' },
        { minutes: 0, yes: 7 },
      ].map(({ minutes, hoursBefore = 0, ...columns }) => ({
        at: iso(Math.floor(minutesAgo(minutes + 60 * hoursBefore) / 3_600_000) * 3_600_000),
        minute: minutesAgo(minutes) / 1000,
        ...columns,
      })),
    ),
  );
  after(() => world.dispose());

  const read = (query: UsageQuery) => readUsage(world, { ...window, ...query });

  it('counts an evaluation in the minute in which its report arrived, whenever it happened', async () => {
    const { starts, series, knownFrom, isLastComplete } = await read({ feature: 'a' });
    expect(starts).to.deep.equal([9, 8, 7, 6].map((minutes) => iso(minutesAgo(minutes))));
    expect(series.map(({ yes, no }) => ({ yes, no }))).to.deep.equal([
      { yes: [0, 5, 0, 0], no: [0, 0, 0, 0] },
    ]);
    expect([knownFrom, isLastComplete]).to.deep.equal([iso(minutesAgo(10)), true]);
  });

  it('adds up all features, and divides them by application, environment or variant', async () => {
    const [all] = (await read({})).series;
    expect([all?.yes, all?.no]).to.deep.equal([
      [0, 5, 0, 0],
      [0, 0, 0, 5],
    ]);
    const groupsOf = async (groupBy: string) =>
      (await read({ feature: 'a', groupBy })).series.map(({ group, yes, served }) => [group, served ?? yes]);
    expect(await groupsOf('application')).to.deep.equal([
      ['offline', [0, 3, 0, 0]],
      ['shop', [0, 2, 0, 0]],
    ]);
    expect(await groupsOf('variant')).to.deep.equal([
      ['blue', [0, 3, 0, 0]],
      ['red', [0, 1, 0, 0]],
    ]);
    expect((await read({ groupBy: 'environment' })).series.map(({ group }) => group)).to.have.members([
      'production',
      'staging',
    ]);
  });

  it('knows nothing before the first report, and that the current minute grows', async () => {
    const { series, isLastComplete } = await readUsage(world, {
      feature: 'a',
      interval: 'minute',
      from: iso(minutesAgo(12)),
      to: iso(minutesAgo(-1)),
    });
    expect(series[0]?.yes?.slice(0, 4)).to.deep.equal([null, null, 9, 0]);
    expect(isLastComplete).to.equal(false);
  });

  it('is the last half hour by default, and has at most 3,000 minutes', async () => {
    expect((await readUsage(world, { interval: 'minute' })).starts).to.have.length(30);
    const answer = await askUsage(world, { ...window, from: iso(minutesAgo(3006)) });
    expect(answer.status).to.equal(400);
    expect(JSON.stringify(answer.body)).to.include('3000 buckets');
  });

  it('is not asked of impact metrics, which have hours', async () => {
    const path = '/api/admin/client-metrics/features/a/impact/purchases';
    const { status } = await world.api.get(`${path}?interval=minute`);
    expect(status).to.equal(400);
  });
});
