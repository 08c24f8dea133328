import { expect } from 'chai';
import { syncFeatures, registerApplications } from '#fleet/catalogue';
import { refreshVerdicts } from '#core/clickhouse';
import { registrationOf } from '#core/counting';
import { aFeature, sharedCountedAdminWorld, runAdmin } from '../../../support/admin-api/admin.ts';
import { untilItLasts } from '../../../support/borders.ts';

const HOUR = 3_600_000;

describe('usage', () => {
  const world = sharedCountedAdminWorld();
  let thisHour: number;
  before(async () => {
    await untilItLasts('hour', 60_000);
    thisHour = Math.floor(Date.now() / HOUR) * HOUR;
    await aFeature(world.api, 'new-basket');
    await aFeature(world.api, 'archived-one');
    await world.api.delete('/api/admin/archive/archived-one');
    await syncFeatures(world.db, world.clickhouse);
    await count([
      { yes: 3, no: 1, unknown: 9, variants: ['blue', 'red'], variant_counts: [2, 1] },
      { yes: 10, hour: thisHour - 2 * HOUR },
      { yes: 5, environment: 'development', app_name: 'other' },
      { feature_name: 'new-baskte', yes: 7 },
      { feature_name: 'new-baskte', yes: 5, hour: thisHour - 29 * 24 * HOUR },
      { feature_name: 'new-baskte', yes: 99, hour: thisHour - 40 * 24 * HOUR },
      { feature_name: 'last-week', yes: 4, hour: thisHour - 7 * 24 * HOUR },
      { feature_name: 'last-week', yes: 2, hour: thisHour - 8 * 24 * HOUR },
      { feature_name: 'quite-another-thing', no: 2 },
      { feature_name: 'archived-one', yes: 1 },
    ]);
    await refreshVerdicts(world.clickhouse);
  });

  async function count(rows: readonly Record<string, unknown>[]): Promise<void> {
    await world.clickhouse.insert({
      table: 'block_rows',
      format: 'JSONEachRow',
      values: rows.map(({ hour = thisHour, ...members }) => ({
        kind: 'count',
        feature_name: 'new-basket',
        app_name: 'shop',
        environment: 'production',
        hour: Number(hour) / 1000,
        yes: 0,
        no: 0,
        reports: 1,
        ...members,
      })),
    });
  }

  it('of the current hour is returned per environment', async () => {
    const { body } = await world.api.get('/api/admin/client-metrics/features/new-basket');
    const { verdicts, ...usage } = body as { verdicts: { verdict: string }[] };
    const timestamp = new Date(thisHour).toISOString();
    expect(usage).to.deep.equal({
      version: 1,
      maturity: 'stable',
      featureName: 'new-basket',
      lastHourUsage: [
        { environment: 'development', timestamp, yes: 5, no: 0, unknown: 0 },
        { environment: 'production', timestamp, yes: 3, no: 1, unknown: 9 },
      ],
      seenApplications: ['other', 'shop'],
    });
    expect(verdicts.map(({ verdict }) => verdict)).to.deep.equal(['new']);
  });

  it('by hour has every hour, with variants', async () => {
    const path = '/api/admin/client-metrics/features/new-basket/raw';
    const { body } = await world.api.get(`${path}?hoursBack=3`);
    const { data } = body as {
      data: { appName: string; timestamp: string; yes: number; variants: object }[];
    };
    expect(
      data.map(({ appName, timestamp, yes }) => [appName, thisHour - Date.parse(timestamp), yes]),
    ).to.have.deep.members([
      ['shop', 2 * HOUR, 10],
      ['shop', HOUR, 0],
      ['shop', 0, 3],
      ['other', 2 * HOUR, 0],
      ['other', HOUR, 0],
      ['other', 0, 5],
    ]);
    expect(data.find(({ yes }) => yes === 3)?.variants).to.deep.equal({ blue: 2, red: 1 });
    expect(((await world.api.get(path)).body as { data: unknown[] }).data).to.have.length(48);
    for (const hoursBack of ['0', '49', 'x', '1.5', '-1'])
      expect((await world.api.get(`${path}?hoursBack=${hoursBack}`)).status, hoursBack).to.equal(400);
  });

  it('of features that do not exist is returned with the nearest name', async () => {
    const { body } = await world.api.get('/api/admin/metrics/unknown-flags');
    const lastSeenAt = new Date(thisHour).toISOString();
    const common = { appName: 'shop', environment: 'production', lastSeenAt };
    expect(body).to.deep.equal({
      total: 3,
      unknownFlags: [
        { name: 'new-baskte', ...common, count: 12, nearestName: 'new-basket', reason: null },
        { name: 'quite-another-thing', ...common, count: 2, nearestName: null, reason: null },
        {
          ...common,
          name: 'last-week',
          lastSeenAt: new Date(thisHour - 7 * 24 * HOUR).toISOString(),
          count: 6,
          nearestName: null,
          reason: null,
        },
      ],
    });
  });

  it('by applications is returned with their instances, a page at a time', async () => {
    const { api } = world;
    const path = '/api/admin/metrics/applications';
    expect((await api.get(path)).body).to.deep.equal({ total: 0, nextCursor: null, applications: [] });
    const seenAt = thisHour;
    const shared = { environment: 'production', projects: ['default'], sdkVersion: 'node:1' };
    const platform = { platformName: 'node', platformVersion: 'v22.9.0', yggdrasilVersion: null };
    const connectVia = [{ appName: 'edge', instanceId: 'edge-1' }];
    const applications = [
      { ...shared, appName: 'a', instanceId: 'i' },
      { ...shared, ...platform, appName: 'b', instanceId: 'j', connectVia },
    ];
    await registerApplications(
      world.db,
      applications.map((application) => registrationOf(application, seenAt)),
    );
    type Page = { total: number; nextCursor: string | null; applications: unknown[] };
    const first = (await api.get(`${path}?limit=1`)).body as Page;
    // What comes before the next page repeats nothing.
    await registerApplications(world.db, [
      registrationOf({ ...shared, appName: '0', instanceId: 'i' }, seenAt),
    ]);
    const { body } = await api.get(`${path}?limit=1&cursor=${first.nextCursor ?? ''}`);
    const page = body as Page;
    expect([first.total, page.total, page.nextCursor]).to.deep.equal([2, 3, null]);
    expect(page.applications).to.have.length(1);
    expect(page.applications[0]).to.deep.include({
      appName: 'b',
      usage: [{ project: 'default', environments: ['production'] }],
      totalUsage: 1,
      instances: [
        {
          instanceId: 'j',
          environment: 'production',
          sdkVersion: 'node:1',
          sdkType: null,
          ...platform,
          connectVia,
          lastSeen: new Date(seenAt).toISOString(),
        },
      ],
      totalInstances: 1,
    });
    expect((await api.get(`${path}?cursor=x`)).status).to.equal(400);
    for (const limit of [0, 101]) expect((await api.get(`${path}?limit=${limit}`)).status).to.equal(400);
  });

  describe('without ClickHouse', () => {
    const READS = 10;

    it('is unavailable; all else still works', async () => {
      const api = await runAdmin(world, { CLICKHOUSE_URL: 'http://127.0.0.1:9' });
      const startedAt = Date.now();
      for (let reads = 0; reads < READS; reads += 1)
        for (const path of ['', '/raw']) {
          const answer = await api.get(`/api/admin/client-metrics/features/f${path}`);
          expect(answer.body, path).to.include({ name: 'ServiceUnavailable' });
        }
      expect((await api.get('/api/admin/metrics/unknown-flags')).status).to.equal(503);
      // A read that waits takes ten seconds.
      expect(Date.now() - startedAt).to.be.lessThan(READS * 10_000);
      expect((await api.get('/api/admin/strategies')).status).to.equal(200);
    });
  });
});
