import { expect } from 'chai';
import { sharedCountedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { pagesOf } from '../../../../support/admin-api/pages.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('pages of evaluated features', () => {
  const world = sharedCountedAdminWorld();
  /** The start of the current hour, in epoch milliseconds. */
  let now: number;
  before(async () => {
    now = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
    const evaluations = [
      { feature_name: 'basket', app_name: 'web', at: now, yes: 5, no: 1 },
      { feature_name: 'basket', app_name: 'web', at: now - 3 * HOUR_MS, yes: 7 },
      { feature_name: 'basket', app_name: 'web', environment: 'development', at: now, no: 3 },
      { feature_name: 'search', app_name: 'web', at: now, yes: 4 },
      { feature_name: 'search', app_name: 'batch', at: now, yes: 100 },
      { feature_name: 'monthly', app_name: 'web', at: now - 20 * DAY_MS, no: 50 },
      { feature_name: 'last-year', app_name: 'web', at: now - 60 * DAY_MS, no: 900 },
    ];
    const common = { kind: 'count', environment: 'production', yes: 0, no: 0, reports: 1 };
    await world.clickhouse.insert({
      table: 'block_rows',
      format: 'JSONEachRow',
      values: evaluations.map(({ at, ...row }) => ({ ...common, ...row, hour: at / 1000 })),
    });
  });

  const counts = async (query: Record<string, string>) =>
    (await pagesOf(world.api).readAll('evaluated-features', { limit: '1', ...query })).map(
      ({ name, environment, yes, no }) => `${name} ${environment} ${yes}/${no}`,
    );
  const ago = (ms: number) => new Date(now - ms).toISOString();

  it('are those of 30 days, the most evaluated first', async () => {
    expect(await counts({ appName: 'web' })).to.deep.equal([
      'monthly production 0/50',
      'basket production 12/1',
      'search production 4/0',
      'basket development 0/3',
    ]);
    expect(await counts({ appName: 'web', sort: 'name' })).to.deep.equal([
      'basket development 0/3',
      'basket production 12/1',
      'monthly production 0/50',
      'search production 4/0',
    ]);
    expect(await counts({ appName: 'nobody' })).to.deep.equal([]);
  });

  it('are limited by environment and time: recent hours, or older days', async () => {
    expect(await counts({ appName: 'web', environment: 'development' })).to.deep.equal([
      'basket development 0/3',
    ]);
    expect(await counts({ appName: 'web', from: ago(2 * HOUR_MS) })).to.deep.equal([
      'basket production 5/1',
      'search production 4/0',
      'basket development 0/3',
    ]);
    expect(await counts({ appName: 'web', from: ago(70 * DAY_MS), to: ago(9 * DAY_MS) })).to.deep.equal([
      'last-year production 0/900',
      'monthly production 0/50',
    ]);
  });

  it('are those of all applications together without appName', async () => {
    expect(await counts({ from: ago(2 * HOUR_MS), environment: 'production' })).to.deep.equal([
      'search production 104/0',
      'basket production 5/1',
    ]);
  });

  it('reject a cursor of another order', async () => {
    const page = await pagesOf(world.api).read('evaluated-features', { limit: '1', sort: 'name' });
    expect(page.nextCursor).to.be.a('string');
    const path = `/api/admin/search/evaluated-features?cursor=${encodeURIComponent(page.nextCursor ?? '')}`;
    expect((await world.api.get(path)).status).to.equal(400);
  });
});
