import { expect } from 'chai';
import { sharedAdminWorld, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import {
  type UsageQuery,
  askUsage,
  countAll,
  keepCounts,
  readUsage,
} from '../../../support/admin-api/usage.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('the borders of a window of usage', () => {
  const world = sharedCountedAdminWorld({ RETENTION_HOURLY_DAYS: '3650', RETENTION_DAILY_MONTHS: '600' });
  before(async () => {
    await keepCounts(world.clickhouse);
    await countAll(world.clickhouse, [
      { at: '2025-10-10T05:00:00Z', feature_name: 'first' },
      { at: '2025-10-12T05:00:00Z' },
    ]);
  });
  after(() => world.dispose());

  const read = (query: UsageQuery) => readUsage(world, query);

  it('returns null, not 0, for the time before the first evaluation', async () => {
    const window = {
      feature: ['first', 'a'],
      from: '2025-10-08T00:00:00Z',
      to: '2025-10-12T00:00:00Z',
      previous: 'true',
    };
    const { series, knownFrom } = await read({ ...window });
    expect(knownFrom).to.equal('2025-10-10T00:00:00.000Z');
    expect(series.map(({ yes, previous }) => ({ yes, previous }))).to.deep.equal([
      { yes: [null, null, 1, 0], previous: null },
      { yes: [null, null, 0, 0], previous: null },
    ]);
    expect((await read({ ...window, interval: 'hour' })).knownFrom).to.equal('2025-10-10T05:00:00.000Z');
  });

  it('ends now, and says that the last bucket still grows', async () => {
    const growing = await read({ feature: 'a' });
    expect(growing.starts).to.have.length(30);
    expect(growing.isLastComplete).to.equal(false);
    const future = await read({
      feature: 'a',
      interval: 'hour',
      from: growing.starts[29] ?? '',
      to: '2099-01-01T00:00:00Z',
    });
    expect(Date.parse(future.to)).to.be.within(Date.now() - HOUR_MS, Date.now() + HOUR_MS);
    const past = await read({ feature: 'a', from: '2026-05-04T00:00:00Z', to: '2026-05-05T00:00:00Z' });
    expect(past.isLastComplete).to.equal(true);
    expect(Date.parse(past.completeUntil)).to.be.greaterThan(Date.now() - 2 * DAY_MS);
  });

  it('is refused if it is empty or too large', async () => {
    const messageOf = async (query: UsageQuery) => {
      const { status, body } = await askUsage(world, query);
      return `${status} ${(body as { message: string }).message}`;
    };
    const year = { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expect(await messageOf({ from: '2026-05-04T00:00:00Z', to: '2026-05-04T00:00:00Z' })).to.match(
      /^400 from must be before/,
    );
    expect(await messageOf({ from: '2098-05-04T00:00:00Z' })).to.match(
      /^400 from must be before to, and before now/,
    );
    expect(await messageOf({ from: '1999-12-31T23:59:00Z' })).to.match(/^400 from must not be before 2000/);
    expect(await messageOf({ ...year, interval: 'hour' })).to.match(
      /^400 The window has more than 3000 buckets/,
    );
    expect(await messageOf({ ...year, groupBy: 'variant', feature: ['a', 'b'], groups: '100' })).to.match(
      /^400 This may be 73730 counts, and an answer has at most 50000/,
    );
    const tooMany = Array.from({ length: 201 }, (_, index) => `f${index}`);
    expect((await askUsage(world, { feature: tooMany })).status).to.equal(400);
    expect((await askUsage(world, { feature: ['a', 'a'] })).status).to.equal(400);
    expect((await askUsage(world, { feature: [''] })).status, 'an empty name counts as absent').to.equal(200);
  });
});

describe('usage of a window that begins before the stored hours', () => {
  const world = sharedCountedAdminWorld();
  const dayAgo = (days: number) => new Date(Math.floor(Date.now() / DAY_MS - days) * DAY_MS).toISOString();
  before(async () => {
    await countAll(world.clickhouse, [
      { at: dayAgo(100), yes: 100 },
      { at: dayAgo(40), yes: 10 },
    ]);
  });
  after(() => world.dispose());

  const read = (query: UsageQuery) => readUsage(world, { feature: 'a', ...query });

  it('is answered in days of UTC, and says so', async () => {
    const berlin = { timezone: 'Europe/Berlin' };
    expect((await read({ ...berlin, from: dayAgo(20) })).timezone).to.equal('Europe/Berlin');
    const long = await read({ ...berlin, from: dayAgo(101) });
    expect(long.timezone).to.equal('UTC');
    expect(long.series[0]?.yes?.slice(0, 3)).to.deep.equal([null, 100, 0]);
    expect(long.series[0]?.total).to.deep.equal({ yes: 110, no: 0, unknown: 0 });
    const compared = await read({ ...berlin, from: dayAgo(60), previous: 'true' });
    expect(compared.timezone).to.equal('UTC');
  });

  it('by hour is unknown before the stored hours', async () => {
    const { series } = await read({ interval: 'hour', from: dayAgo(101) });
    const counts = series[0]?.yes ?? [];
    expect(counts[0]).to.equal(null);
    expect(counts[24]).to.equal(null);
    expect(counts.at(-1)).to.equal(0);
    expect(counts).to.include(10);
    expect(series[0]?.total).to.deep.equal({ yes: 10, no: 0, unknown: 0 });
  });
});

describe('usage of a window without any counts', () => {
  const world = sharedAdminWorld();
  after(() => world.dispose());

  it('is unknown', async () => {
    for (const interval of ['hour', 'day']) {
      const query = { feature: 'a', timezone: 'Europe/Berlin', interval };
      const { knownFrom, series } = await readUsage(world, query);
      expect(knownFrom).to.equal(null);
      expect(series[0]?.yes).to.deep.equal(Array.from({ length: 30 }, () => null));
    }
  });
});
