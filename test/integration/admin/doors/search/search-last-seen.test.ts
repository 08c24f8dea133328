import { expect } from 'chai';
import { syncLastSeen } from '#fleet/catalogue';
import { aFeature, sharedCountedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { pagesOf } from '../../../../support/admin-api/pages.ts';

const DAY_S = 24 * 3600;

describe('the last evaluation of features', () => {
  const world = sharedCountedAdminWorld();
  let now: number;
  before(async () => {
    now = Math.floor(Date.now() / 3_600_000) * 3600;
    for (const name of ['daily', 'monthly', 'never', 'staging-only']) await aFeature(world.api, name);
    await count(
      { feature_name: 'daily', hour: now - DAY_S },
      { feature_name: 'daily', hour: now - 40 * DAY_S, environment: 'development' },
      { feature_name: 'monthly', hour: now - 30 * DAY_S },
      { feature_name: 'staging-only', hour: now - 2 * DAY_S, environment: 'development' },
      { feature_name: 'unknown', hour: now },
    );
    await syncLastSeen(world.db, world.clickhouse);
    await syncLastSeen(world.db, world.clickhouse);
  });

  const count = (...rows: object[]) =>
    world.clickhouse.insert({
      table: 'block_rows',
      format: 'JSONEachRow',
      values: rows.map((row) => ({
        kind: 'count',
        app_name: 'web',
        environment: 'production',
        yes: 1,
        no: 0,
        reports: 1,
        ...row,
      })),
    });
  const names = async (query: Record<string, string>) =>
    (await pagesOf(world.api).readAll('features', { limit: '1', ...query })).map(({ name }) => name);
  const daysAgo = (days: number) => new Date((now - days * DAY_S) * 1000).toISOString();

  it('is a member of each feature, in all environments and in each one', async () => {
    const { body } = await world.api.get('/api/admin/projects/default/features/daily');
    expect(body).to.deep.include({
      lastSeenAt: daysAgo(1),
      environments: [
        { name: 'development', enabled: false, lastSeenAt: daysAgo(40) },
        { name: 'production', enabled: false, lastSeenAt: daysAgo(1) },
      ],
    });
    const { body: never } = await world.api.get('/api/admin/projects/default/features/never');
    expect(never).to.include({ lastSeenAt: null });
  });

  it('orders the list; features that were never evaluated are the oldest', async () => {
    const oldestFirst = ['never', 'monthly', 'staging-only', 'daily'];
    expect(await names({ sort: 'lastSeenAt' })).to.deep.equal(oldestFirst);
    expect(await names({ sort: '-lastSeenAt' })).to.deep.equal([...oldestFirst].reverse());
    const inProduction = ['never', 'staging-only', 'monthly', 'daily'];
    expect(await names({ sort: 'lastSeenAt', environment: 'production' })).to.deep.equal(inProduction);
  });

  it('filters the list, in all environments or in one', async () => {
    expect(await names({ notSeenSince: daysAgo(7) })).to.deep.equal(['monthly', 'never']);
    expect(await names({ seenSince: daysAgo(7) })).to.deep.equal(['daily', 'staging-only']);
    const inDevelopment = { environment: 'development', notSeenSince: daysAgo(7) };
    expect(await names(inDevelopment)).to.deep.equal(['daily', 'monthly', 'never']);
    expect(await names({ ...inDevelopment, project: 'nowhere' })).to.deep.equal([]);
    expect(await names({ environment: 'development', seenSince: daysAgo(2) })).to.deep.equal([
      'staging-only',
    ]);
  });

  it('follows ClickHouse, also to an earlier hour, and goes with its feature', async () => {
    await world.clickhouse.command({
      query: `alter table feature_app_seen_states delete where feature_name = 'monthly' settings mutations_sync = 1`,
    });
    await count({ feature_name: 'monthly', hour: now - 60 * DAY_S });
    await syncLastSeen(world.db, world.clickhouse);
    expect(await names({ notSeenSince: daysAgo(50) })).to.deep.equal(['monthly', 'never']);
    await world.db.query(`delete from features where name = 'monthly'`);
    const { rows } = await world.db.query(`select from feature_last_seen where feature_name = 'monthly'`);
    expect(rows).to.deep.equal([]);
  });
});
