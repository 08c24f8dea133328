import { expect } from 'chai';
import { aFeature, aUser, sharedAdminWorld, eventTypesOf } from '../../../../support/admin-api/admin.ts';

const FEATURES = '/api/admin/projects/default/features';

describe('features', () => {
  const world = sharedAdminWorld();
  let viewer: string;
  let editor: string;
  before(async () => {
    viewer = (await aUser(world.api, 'Viewer', 'vera')).token;
    editor = (await aUser(world.api, 'Editor', 'edda')).token;
  });

  it('are created, read and listed with an event', async () => {
    const { api } = world;
    const created = await api.post(FEATURES, { name: 'one', description: 'first' });
    expect(created.status).to.equal(201);
    expect(created.body).to.include({ name: 'one', project: 'default', type: 'release', archived: false });
    expect((await api.get(`${FEATURES}/one`)).body).to.deep.equal(created.body);
    const { body } = await api.get(FEATURES);
    expect(body).to.deep.equal({ version: 1, features: [created.body] });
    expect(await eventTypesOf(api, 'one')).to.deep.equal(['feature-created']);
  });

  it('have names that are unique across projects', async () => {
    const { api } = world;
    await aFeature(api, 'unique');
    await api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
    const answer = await api.post('/api/admin/projects/shop/features', { name: 'unique' });
    expect(answer.status).to.equal(409);
    expect(answer.body).to.include({ name: 'NameExistsError' });
  });

  it('cannot be created in an unknown project, with a bad name, or by a Viewer', async () => {
    const { api } = world;
    expect((await api.post('/api/admin/projects/nowhere/features', { name: 'x' })).status).to.equal(404);
    for (const name of ['', '.', '..', 'a b', 'a/b', 'x'.repeat(101), 'a\u0000b', 7]) {
      expect((await api.post(FEATURES, { name })).body, String(name)).to.include({ name: 'ValidationError' });
    }
    const rejected = await api.post(FEATURES, { name: 'x' }, { token: viewer });
    expect(rejected.body).to.include({ name: 'NoAccessError' });
    expect((await api.get(`${FEATURES}?archived=perhaps`)).status).to.equal(400);
    expect((await api.get('/api/admin/projects/nowhere/features')).status).to.equal(404);
    expect((await api.get(`${FEATURES}/nothing`)).status).to.equal(404);
  });

  it('are archived once and can be revived', async () => {
    const { api } = world;
    await aFeature(api, 'old');
    const archived = await api.delete('/api/admin/archive/old', { token: editor });
    expect(archived).to.include({ status: 200, body: undefined });
    expect((await api.delete('/api/admin/archive/old')).status).to.equal(200);
    expect(await eventTypesOf(api, 'old')).to.deep.equal(['feature-created', 'feature-archived']);
    const { body } = await api.get(`${FEATURES}?archived=true`);
    expect((body as { features: { name: string }[] }).features.map(({ name }) => name)).to.deep.equal([
      'old',
    ]);
    expect((await api.post('/api/admin/archive/revive/old')).status).to.equal(200);
    expect((await api.post('/api/admin/archive/revive/old')).status).to.equal(200);
    expect((await api.get(`${FEATURES}/old`)).body).to.include({ archived: false, archivedAt: null });
    expect((await eventTypesOf(api, 'old')).slice(2)).to.deep.equal(['feature-revived']);
  });

  it('cannot be archived when unknown, nor by a Viewer', async () => {
    const { api } = world;
    await aFeature(api, 'kept');
    expect((await api.delete('/api/admin/archive/nothing')).body).to.include({ name: 'NotFoundError' });
    expect((await api.post('/api/admin/archive/revive/nothing')).status).to.equal(404);
    const rejected = await api.delete('/api/admin/archive/kept', { token: viewer });
    expect(rejected.status).to.equal(403);
    expect(rejected.body).to.include({ name: 'NoAccessError' });
    expect((await api.get(`${FEATURES}/kept`)).body).to.include({ archived: false });
  });

  it('do not change when their event cannot be written, and the answer does not reveal the reason', async () => {
    const { api, db } = world;
    await aFeature(api, 'whole');
    await db.query(`alter table events add constraint rejects check (type <> 'feature-archived') not valid`);
    const answer = await api.delete('/api/admin/archive/whole');
    await db.query('alter table events drop constraint rejects');
    expect(answer.status).to.equal(500);
    expect(answer.body).to.include({
      name: 'InternalError',
      message: 'Internal error.',
    });
    expect(JSON.stringify(answer.body)).not.to.match(/constraint|rejects|insert/);
    expect((await api.get(`${FEATURES}/whole`)).body).to.include({ archived: false });
  });

  it('archived twice at the same time produce one event', async () => {
    const { api } = world;
    await aFeature(api, 'raced');
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => api.delete('/api/admin/archive/raced')),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 200));
    expect(await eventTypesOf(api, 'raced')).to.deep.equal(['feature-created', 'feature-archived']);
  });

  it('are favourites of users and of tokens separately, with an event only for real changes', async () => {
    const { api } = world;
    await aFeature(api, 'liked');
    const path = `${FEATURES}/liked/favorites`;
    const isFavorite = async (token?: string) =>
      (await api.get(`${FEATURES}/liked`, token === undefined ? {} : { token })).body as {
        favorite: boolean;
      };
    for (const token of [viewer, viewer])
      expect((await api.post(path, undefined, { token })).status).to.equal(200);
    expect((await api.post(path)).status).to.equal(200);
    expect((await isFavorite(viewer)).favorite).to.equal(true);
    expect((await isFavorite(editor)).favorite).to.equal(false);
    const removed = await api.delete(path, { token: viewer });
    expect(removed).to.include({ status: 200, body: undefined });
    expect((await api.delete(path, { token: viewer })).status).to.equal(200);
    expect((await isFavorite(viewer)).favorite).to.equal(false);
    expect((await isFavorite()).favorite).to.equal(true);
    expect((await api.delete(path)).status).to.equal(200);
    const { body } = await api.get('/api/admin/events/liked');
    const events = (body as { events: { type: string; project: string; createdBy: string }[] }).events;
    expect(events.map(({ type, createdBy }) => [type, createdBy])).to.deep.equal([
      ['feature-unfavorited', 'initial admin'],
      ['feature-unfavorited', 'vera'],
      ['feature-favorited', 'initial admin'],
      ['feature-favorited', 'vera'],
      ['feature-created', 'initial admin'],
    ]);
    expect(new Set(events.map(({ project }) => project))).to.deep.equal(new Set(['default']));
  });

  it('that are unknown or of another project cannot be favourites', async () => {
    const { api } = world;
    await aFeature(api, 'elsewhere');
    for (const path of [
      '/api/admin/projects/shop/features/elsewhere/favorites',
      '/api/admin/projects/nowhere/features/elsewhere/favorites',
      `${FEATURES}/nothing/favorites`,
    ]) {
      expect((await api.delete(path)).body, path).to.include({ name: 'NotFoundError' });
      expect((await api.post(path)).body, path).to.include({ name: 'NotFoundError' });
    }
  });
});
