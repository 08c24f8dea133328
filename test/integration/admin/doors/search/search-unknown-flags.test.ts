import { expect } from 'chai';
import { syncFeatures } from '#fleet/catalogue';
import { aFeature, sharedCountedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { type Item, pagesOf } from '../../../../support/admin-api/pages.ts';

describe('pages of unknown flags', () => {
  const world = sharedCountedAdminWorld();
  const HOUR = 3600; // seconds
  let now: number;
  before(async () => {
    now = Math.floor(Date.now() / 3_600_000) * HOUR;
    await aFeature(world.api, 'new-basket');
    await syncFeatures(world.db, world.clickhouse);
    const evaluations = [
      { feature_name: 'new-baskte', app_name: 'web', hour: now - 2 * HOUR, yes: 5 },
      { feature_name: 'new-baskte', app_name: 'batch', hour: now - 2 * HOUR, yes: 5 },
      { feature_name: 'OLD-thing', app_name: 'web', environment: 'development', hour: now - HOUR, no: 7 },
      { feature_name: 'last-month', app_name: 'web', hour: now - 40 * 24 * HOUR, no: 7 },
      { feature_name: 'new-basket', app_name: 'web', hour: now - HOUR, no: 9 },
      { feature_name: 'created-since', app_name: 'web', hour: now - HOUR, no: 9 },
    ];
    const common = { kind: 'count', environment: 'production', yes: 0, no: 0, reports: 1 };
    await world.clickhouse.insert({
      table: 'block_rows',
      format: 'JSONEachRow',
      values: evaluations.map((row) => ({ ...common, ...row })),
    });
    await aFeature(world.api, 'created-since');
  });

  const flags = async (query: Record<string, string>) =>
    (await pagesOf(world.api).readAll('unknown-flags', { limit: '1', ...query })).map(
      ({ name, appName }) => `${name} ${appName}`,
    );

  it('are sorted by time, name or count, in pages', async () => {
    expect(await flags({})).to.deep.equal(['OLD-thing web', 'new-baskte web', 'new-baskte batch']);
    expect(await flags({ sort: 'name' })).to.deep.equal([
      'OLD-thing web',
      'new-baskte batch',
      'new-baskte web',
    ]);
    expect(await flags({ sort: 'count' })).to.deep.equal([
      'new-baskte batch',
      'new-baskte web',
      'OLD-thing web',
    ]);
  });

  it('are limited by text, application, environment and time', async () => {
    expect(await flags({ search: ' old-T ' })).to.deep.equal(['OLD-thing web']);
    expect(await flags({ search: '%' })).to.deep.equal([]);
    expect(await flags({ appName: 'batch' })).to.deep.equal(['new-baskte batch']);
    expect(await flags({ environment: 'development' })).to.deep.equal(['OLD-thing web']);
    const anHourAgo = new Date((now - HOUR) * 1000).toISOString();
    expect(await flags({ seenSince: anHourAgo })).to.deep.equal(['OLD-thing web']);
    expect(await flags({ notSeenSince: anHourAgo, appName: 'web' })).to.deep.equal(['new-baskte web']);
  });

  it('have the same members as the list of the contract', async () => {
    const { items } = await pagesOf(world.api).read('unknown-flags');
    const { body } = await world.api.get('/api/admin/metrics/unknown-flags');
    expect(items).to.have.deep.members((body as { unknownFlags: Item[] }).unknownFlags);
    expect(items.find(({ name }) => name === 'new-baskte')).to.include({
      nearestName: 'new-basket',
      reason: null,
      count: 5,
    });
  });

  it('reject unknown parameters', async () => {
    expect((await world.api.get('/api/admin/search/unknown-flags?project=shop')).status).to.equal(400);
  });
});
