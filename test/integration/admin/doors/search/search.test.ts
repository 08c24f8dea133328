import { expect } from 'chai';
import { registerApplications, syncFeatures } from '#fleet/catalogue';
import { refreshVerdicts } from '#core/clickhouse';
import { registrationOf } from '#core/counting';
import { aFeature, aUser, sharedCountedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { type Pages, pagesOf } from '../../../../support/admin-api/pages.ts';

const FEATURES = 60;

describe('lists in pages', () => {
  const world = sharedCountedAdminWorld();
  before(async () => {
    await world.api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
    // Many features have the same time, so that the name decides.
    await world.db.query(
      `insert into features (name, project, type, description, stale, owner, tags, created_at)
       select
         'f' || lpad(i::text, 3, '0'),
         case when i % 3 = 0 then 'shop' else 'default' end,
         case when i % 2 = 0 then 'release' else 'experiment' end,
         'No. ' || i || ' of 100%',
         i % 10 = 0,
         case when i % 4 = 0 then 'Search team' end,
         array['size:' || i % 5, 'age:old'],
         timestamptz '2026-01-01T00:00:00.000001Z' + i / 7 * interval '1 microsecond'
       from generate_series(1, ${FEATURES}) as i`,
    );
    const registration = { projects: ['default'], sdkVersion: 'node:1', interval: 15_000 };
    await registerApplications(
      world.db,
      ['web', 'batch', 'mobile'].map((appName, index) => ({
        ...registrationOf({ ...registration, appName, instanceId: 'i' }, Date.UTC(2026, 0, 1 + index)),
        environment: index === 0 ? 'development' : 'production',
      })),
    );
  });

  const read: Pages['read'] = (list, query) => pagesOf(world.api).read(list, query);
  const readAll: Pages['readAll'] = (list, query, meanwhile) =>
    pagesOf(world.api).readAll(list, query, meanwhile);

  for (const sort of ['name', '-name', 'createdAt', '-createdAt'])
    it(`contain each item once in the order of ${sort}, whatever is inserted meanwhile`, async () => {
      const column = sort.endsWith('name') ? 'name' : 'created_at, name';
      const direction = sort.startsWith('-') ? 'desc' : '';
      const { rows } = await world.db.query<{ name: string }>(
        `select name from features where archived_at is null order by ${column.replace(',', ` ${direction},`)} ${direction}`,
      );
      const added: string[] = [];
      const items = await readAll('features', { sort, limit: '15' }, async (page) => {
        for (const name of [`a-${sort}-${page}`, `f0${page}-${sort}`, `z-${sort}-${page}`]) {
          added.push(name);
          await aFeature(world.api, name);
        }
      });
      const names = items.map(({ name }) => name ?? '');
      expect(names.filter((name) => !added.includes(name))).to.deep.equal(rows.map(({ name }) => name));
      expect(new Set(names).size).to.equal(names.length);
      await world.db.query('delete from features where name = any($1)', [added]);
    });

  it('end with a page that has no cursor, also if it is full', async () => {
    const first = await read('features', { limit: String(FEATURES / 2) });
    expect(first.items).to.have.length(FEATURES / 2);
    const second = await read('features', { limit: String(FEATURES / 2), cursor: first.nextCursor ?? '' });
    expect(second.items).to.have.length(FEATURES / 2);
    expect(second.nextCursor).to.equal(null);
  });

  it('reject cursors of others', async () => {
    const { nextCursor } = await read('features', { limit: '1' });
    for (const path of [
      `features?sort=-name&cursor=${nextCursor}`,
      `applications?cursor=${nextCursor}`,
      'features?cursor=abc',
      `features?cursor=${Buffer.from('["name","\\u0000"]').toString('base64url')}`,
      `events?cursor=${Buffer.from('["-createdAt","now()","1"]').toString('base64url')}`,
    ]) {
      const { status, body } = await world.api.get(`/api/admin/search/${path}`);
      expect(status, path).to.equal(400);
      expect(body, path).to.deep.include({
        details: [{ path: '/cursor', message: 'does not belong to this list and sort' }],
      });
    }
  });

  describe('of features', () => {
    const count = async (query: Record<string, string>) =>
      (await read('features', { limit: '1000', ...query })).items.length;

    it('are limited by project, type, owner, tag, text and staleness', async () => {
      expect(await count({})).to.equal(60);
      expect(await count({ project: 'shop' })).to.equal(20);
      expect(await count({ project: 'shop', type: 'release' })).to.equal(10);
      expect(await count({ owner: 'Search team' })).to.equal(15);
      expect(await count({ tag: 'size:3' })).to.equal(12);
      expect(await count({ tag: 'age:old', owner: 'Search team', project: 'shop' })).to.equal(5);
      expect(await count({ tag: 'size:' })).to.equal(0);
      expect(await count({ stale: 'true' })).to.equal(6);
      expect(await count({ stale: 'false' })).to.equal(54);
      expect(await count({ search: 'F01' })).to.equal(10);
      expect(await count({ search: 'no. 60 OF' })).to.equal(1);
      expect(await count({ search: 'SEARCH tea' })).to.equal(15);
      expect(await count({ search: 'ze:3' })).to.equal(12);
      expect(await count({ search: '100%' })).to.equal(60);
      expect(await count({ search: 'f%1' })).to.equal(0);
      expect(await count({ search: ' tea  SEARCH F01 ' })).to.equal(2);
    });

    it('are limited to favourites of the caller and to archived ones', async () => {
      await world.api.post('/api/admin/projects/default/features/f001/favorites');
      expect((await read('features', { favorite: 'true' })).items.map(({ name }) => name)).to.deep.equal([
        'f001',
      ]);
      expect(await count({ favorite: 'false' })).to.equal(59);
      await world.api.delete('/api/admin/archive/f002');
      expect((await read('features', { archived: 'true' })).items.map(({ name }) => name)).to.deep.equal([
        'f002',
      ]);
      expect(await count({})).to.equal(59);
      await world.api.post('/api/admin/archive/revive/f002');
    });

    it('are limited to those with a verdict', async () => {
      await aFeature(world.api, 'fresh');
      await syncFeatures(world.db, world.clickhouse);
      await world.clickhouse.insert({
        table: 'block_rows',
        format: 'JSONEachRow',
        values: [
          {
            kind: 'count',
            feature_name: 'fresh',
            app_name: 'web',
            environment: 'production',
            hour: (Math.floor(Date.now() / 3_600_000) - 2) * 3600,
            yes: 1,
            no: 0,
            reports: 1,
          },
        ],
      });
      await refreshVerdicts(world.clickhouse);
      const { items } = await read('features', { verdict: 'new' });
      expect(items.map(({ name }) => name)).to.deep.equal(['fresh']);
      expect(await count({ verdict: 'drift' })).to.equal(0);
    });
  });

  it('of events are limited by project, feature, type and time', async () => {
    await world.api.delete('/api/admin/archive/f004');
    await world.api.post('/api/admin/archive/revive/f004');
    const all = await readAll('events', { limit: '1' });
    const { rows } = await world.db.query<{ id: string; created_at: Date; created_by: string }>(
      'select id, created_at, created_by from events order by created_at desc, id desc',
    );
    expect(all.map(({ id }) => id)).to.deep.equal(rows.map(({ id }) => Number(id)));
    const createdBy = rows[0]?.created_by ?? 'nobody';
    const types = async (query: Record<string, string>) =>
      (await read('events', { limit: '1000', ...query })).items.map(({ type }) => type);
    expect(await types({ feature: 'f004', sort: 'createdAt' })).to.deep.equal([
      'feature-archived',
      'feature-revived',
    ]);
    expect(await types({ search: 'F004', sort: 'createdAt' })).to.deep.equal([
      'feature-archived',
      'feature-revived',
    ]);
    expect(await types({ search: 'ject-CREAT' })).to.deep.equal(['project-created']);
    expect((await types({ search: createdBy })).length).to.equal(
      rows.filter(({ created_by }) => created_by === createdBy).length,
    );
    expect(await types({ search: 'f_04' })).to.deep.equal([]);
    expect(await types({ type: 'project-created' })).to.deep.equal(['project-created']);
    const others = await types({ exceptType: 'project-created' });
    expect(others).to.include('feature-archived').and.not.include('project-created');
    expect(others.length).to.equal(rows.length - 1);
    expect(await types({ project: 'nowhere' })).to.deep.equal([]);
    const latest = rows[0]?.created_at.toISOString() ?? '';
    expect(await types({ from: latest, to: latest })).to.deep.equal([]);
    expect((await types({ to: latest })).length).to.be.lessThan(rows.length);
  });

  it('of change requests leave out drafts of others', async () => {
    const path = '/api/admin/projects/default/environments/production/change-requests';
    const { token } = await aUser(world.api, 'Editor', 'eva');
    const changes = { changes: [{ feature: 'f001', action: 'archiveFeature' }] };
    const { body } = await world.api.post(path, changes, { token });
    const { id } = body as { id: number };
    expect((await read('change-requests')).items).to.deep.equal([]);
    await world.api.put(
      `/api/admin/projects/default/change-requests/${id}/state`,
      { state: 'In review' },
      { token },
    );
    const ids = async (query: Record<string, string>) =>
      (await read('change-requests', query)).items.map((item) => item.id);
    expect(await ids({ feature: 'f001', state: 'In review', environment: 'production' })).to.deep.equal([id]);
    expect(await ids({ feature: 'f003' })).to.deep.equal([]);
    expect(await ids({ state: 'Applied' })).to.deep.equal([]);
    expect(await ids({ project: 'shop' })).to.deep.equal([]);
  });

  it('of change requests are sorted by id, time or state', async () => {
    const { rows } = await world.db.query<{ id: number; state: string }>(
      `insert into change_requests (project, environment, title, state, created_by, created_at)
       select 'default', 'development', 'No. ' || i, (array['Applied', 'Cancelled', 'Rejected'])[1 + i % 3], -42,
         timestamptz '2026-01-01Z' - i * interval '1 day'
       from generate_series(1, 6) as i
       returning id, state`,
    );
    const inDevelopment = async (sort: string) =>
      (await readAll('change-requests', { sort, environment: 'development', limit: '1' })).map(
        ({ id }) => id,
      );
    const ids = rows.map(({ id }) => id);
    expect(await inDevelopment('id')).to.deep.equal(ids);
    expect(await inDevelopment('createdAt')).to.deep.equal([...ids].reverse());
    expect(await inDevelopment('-createdAt')).to.deep.equal(ids);
    const inState = (state: string) => rows.filter((row) => row.state === state).map(({ id }) => id);
    expect(await inDevelopment('state')).to.deep.equal(['Applied', 'Cancelled', 'Rejected'].flatMap(inState));
  });

  it('of applications are sorted by name or time, and limited by place and time', async () => {
    const names = async (query: Record<string, string>) =>
      (await readAll('applications', { limit: '1', ...query })).map(({ appName }) => appName);
    expect(await names({})).to.deep.equal(['batch', 'mobile', 'web']);
    expect(await names({ sort: '-seenAt' })).to.deep.equal(['mobile', 'batch', 'web']);
    expect(await names({ environment: 'production', project: 'default' })).to.deep.equal(['batch', 'mobile']);
    expect(await names({ environment: 'production', project: 'shop' })).to.deep.equal([]);
    expect(await names({ search: 'B' })).to.deep.equal(['batch', 'mobile', 'web']);
    expect(await names({ seenSince: '2026-01-02T00:00:00Z' })).to.deep.equal(['batch', 'mobile']);
    expect(await names({ notSeenSince: '2026-01-02T00:00:00Z' })).to.deep.equal(['web']);
  });
});
