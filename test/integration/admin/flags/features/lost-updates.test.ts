import { expect } from 'chai';
import {
  type Answer,
  type Api,
  aFeature,
  sharedAdminWorld,
  eventTypesOf,
} from '../../../../support/admin-api/admin.ts';

const FEATURES = '/api/admin/projects/default/features';

describe('changes of features with If-Match', () => {
  const world = sharedAdminWorld();
  let api: Api;
  before(async () => {
    ({ api } = world);
    await api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
  });

  const onIn = (path: string, call = {}) => api.post(`${path}/environments/production/on`, undefined, call);
  const ifMatch = (etag: string | null) => ({ headers: { 'if-match': etag ?? '' } });
  const etagOf = ({ headers }: Answer) => headers.get('etag');

  it('happen with the ETag of the last answer, which every change renews', async () => {
    const created = await api.post(FEATURES, { name: 'versioned' });
    const path = `${FEATURES}/versioned`;
    expect(etagOf(created)).to.match(/^"\d+-\w+"$/);
    expect(etagOf(await api.get(path))).to.equal(etagOf(created));
    const switched = await onIn(path, ifMatch(etagOf(created)));
    expect(switched.status).to.equal(200);
    const edited = await api.put(path, { stale: true }, ifMatch(etagOf(switched)));
    expect(edited.status).to.equal(200);
    const moved = await api.post(`${path}/changeProject`, { newProjectId: 'shop' }, ifMatch(etagOf(edited)));
    expect(moved.status).to.equal(200);
    const tags = [created, switched, edited, moved].map(etagOf);
    expect(new Set(tags).size).to.equal(4);
    const now = await api.get('/api/admin/projects/shop/features/versioned');
    expect(etagOf(now)?.split('-')[0]).to.equal(etagOf(moved)?.replace(/"$/, ''));
  });

  it('are 412 with an outdated ETag, and change nothing', async () => {
    const created = await api.post(FEATURES, { name: 'overtaken' });
    const path = `${FEATURES}/overtaken`;
    await api.put(path, { description: 'somebody else' });
    const old = ifMatch(etagOf(created));
    const answers = [
      await api.put(path, { description: 'mine' }, old),
      await onIn(path, old),
      await api.post(`${path}/changeProject`, { newProjectId: 'shop' }, old),
    ];
    for (const { status, body } of answers) {
      expect(status).to.equal(412);
      expect(body).to.include({ name: 'PreconditionFailed' });
      expect((body as { message: string }).message).to.match(/read it again/);
    }
    expect((await api.get(path)).body).to.include({ description: 'somebody else' });
    expect(await eventTypesOf(api, 'overtaken')).to.deep.equal([
      'feature-created',
      'feature-metadata-updated',
    ]);
  });

  it('include archiving and reviving', async () => {
    const created = await api.post(FEATURES, { name: 'finished' });
    const archive = (etag: string | null) => api.delete('/api/admin/archive/finished', ifMatch(etag));
    const revive = (etag: string | null) =>
      api.post('/api/admin/archive/revive/finished', undefined, ifMatch(etag));
    const edited = await api.put(`${FEATURES}/finished`, { stale: true });
    expect((await archive(etagOf(created))).status).to.equal(412);
    const archived = await archive(etagOf(edited));
    expect(archived.status).to.equal(200);
    expect((await revive(etagOf(edited))).status).to.equal(412);
    const revived = await revive(etagOf(archived));
    expect(revived.status).to.equal(200);
    expect((await archive(etagOf(revived))).status).to.equal(200);
    expect(await eventTypesOf(api, 'finished')).to.deep.equal([
      'feature-created',
      'feature-stale-on',
      'feature-archived',
      'feature-revived',
      'feature-archived',
    ]);
  });

  it('succeed for exactly one of several that read the same state', async () => {
    const created = await api.post(FEATURES, { name: 'contended' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api.put(`${FEATURES}/contended`, { description: `writer ${index}` }, ifMatch(etagOf(created))),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses).to.have.members([200, ...Array<number>(7).fill(412)]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await api.get(`${FEATURES}/contended`)).body).to.deep.equal(winner?.body);
    expect((await eventTypesOf(api, 'contended')).length).to.equal(2);
  });

  it('accept a list, any version, and what proxies make of an ETag; other values are 400', async () => {
    const etag = etagOf(await api.post(FEATURES, { name: 'lenient' })) ?? '';
    const write = (header: string) => api.put(`${FEATURES}/lenient`, { stale: false }, ifMatch(header));
    for (const header of ['*', `W/${etag}`, `"999", ${etag}`, etag.replace(/"$/, '-gzip"')])
      expect((await write(header)).status, header).to.equal(200);
    for (const header of ['', '7', '"x"', '"1" "2"', `"${'1'.repeat(2000)}"`, "'1'; drop table features"])
      expect((await write(header)).status, header).to.equal(400);
  });

  it('ignore that a caller has marked the feature as a favourite, which a conditional read notices', async () => {
    const { headers } = await api.post(FEATURES, { name: 'liked' });
    const etag = headers.get('etag') ?? '';
    await api.post(`${FEATURES}/liked/favorites`);
    const read = await api.get(`${FEATURES}/liked`, { headers: { 'if-none-match': etag } });
    expect(read).to.include({ status: 200 });
    expect((await api.put(`${FEATURES}/liked`, { stale: true }, ifMatch(etag))).status).to.equal(200);
  });

  it('notice changes by other writers of the tables, such as the sync from Unleash', async () => {
    await aFeature(api, 'renewed');
    const before = etagOf(await api.get(`${FEATURES}/renewed`));
    await world.db.query(
      "insert into feature_environments (feature_name, environment, enabled) values ('renewed', 'production', true)",
    );
    const after = etagOf(await api.get(`${FEATURES}/renewed`));
    expect(after).not.to.equal(before);
    await world.db.query("update features set type = type where name = 'renewed'");
    expect(etagOf(await api.get(`${FEATURES}/renewed`)), 'nothing changed').to.equal(after);
  });
});
