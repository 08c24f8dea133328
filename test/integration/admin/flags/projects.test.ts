import { expect } from 'chai';
import { aFeature, aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';

describe('projects and environments', () => {
  const world = sharedAdminWorld();

  it('are initially one project and two environments', async () => {
    const projects = (await world.api.get('/api/admin/projects')).body as { projects: { id: string }[] };
    expect(projects.projects.map(({ id }) => id)).to.deep.equal(['default']);
    const { body } = await world.api.get('/api/admin/environments');
    const { environments } = body as { environments: { name: string }[] };
    expect(environments.map(({ name }) => name)).to.deep.equal(['development', 'production']);
  });

  it('are created once, with an event, and features know new environments', async () => {
    const { api } = world;
    const project = { id: 'shop', name: 'The shop' };
    expect((await api.post('/api/admin/projects', project)).status).to.equal(201);
    expect((await api.post('/api/admin/projects', project)).body).to.include({ name: 'NameExistsError' });
    const environment = { name: 'staging', type: 'preproduction', sortOrder: 1 };
    expect((await api.post('/api/admin/environments', environment)).status).to.equal(201);
    expect((await api.post('/api/admin/environments', environment)).status).to.equal(409);
    await aFeature(api, 'f', 'shop');
    const { body } = await api.get('/api/admin/projects/shop/features/f');
    expect((body as { environments: unknown[] }).environments[0]).to.deep.equal({
      name: 'staging',
      enabled: false,
      lastSeenAt: null,
    });
    const events = (await api.get('/api/admin/events')).body as { events: { type: string }[] };
    expect(events.events.map(({ type }) => type)).to.deep.equal([
      'feature-created',
      'environment-created',
      'project-created',
    ]);
  });

  it('are updated, archived and revived by Admins, with an event each', async () => {
    const { api } = world;
    const path = '/api/admin/projects/books';
    const editor = (await aUser(api, 'Editor', 'edda')).token;
    await api.post('/api/admin/projects', { id: 'books', name: 'Books' });
    const before = await api.get(path);
    expect((await api.put(path, { name: 'x' }, { token: editor })).status).to.equal(403);
    expect((await api.put(path, { name: '' })).status).to.equal(400);
    const updated = await api.put(path, { name: 'All books' });
    expect(updated.body).to.include({ id: 'books', name: 'All books' });
    const old = { headers: { 'if-match': before.headers.get('etag') ?? '' } };
    expect((await api.put(path, { name: 'Mine' }, old)).status).to.equal(412);
    expect((await api.post(`${path}/archive`, undefined, old)).status).to.equal(412);

    await aFeature(api, 'novel', 'books');
    const rejected = await api.post(`${path}/archive`);
    expect(rejected.status).to.equal(409);
    expect(rejected.body).to.include({ name: 'ProjectInUse' });
    expect((rejected.body as { message: string }).message).to.match(/archive or move them first: novel\.$/);
    await api.delete('/api/admin/archive/novel');
    expect((await api.post(`${path}/archive`)).status).to.equal(200);
    expect((await api.post(`${path}/archive`)).status).to.equal(200);
    const { projects } = (await api.get('/api/admin/projects')).body as { projects: { id: string }[] };
    expect(projects.map(({ id }) => id)).not.to.include('books');
    expect((await api.post(`${path}/features`, { name: 'poem' })).body).to.include({
      name: 'ProjectArchived',
    });
    expect((await api.post('/api/admin/archive/revive/novel')).body).to.include({ name: 'ProjectArchived' });
    expect((await api.put(path, { name: 'x' })).body).to.include({ name: 'ProjectArchived' });
    expect((await api.post(`${path}/revive`)).status).to.equal(200);
    expect((await api.post('/api/admin/archive/revive/novel')).status).to.equal(200);
    expect((await api.post('/api/admin/projects/default/archive')).status).to.equal(409);
    const { rows } = await world.db.query<{ type: string }>(
      "select type from events where project = 'books' and type like 'project-%' order by id",
    );
    expect(rows.map(({ type }) => type)).to.deep.equal([
      'project-created',
      'project-updated',
      'project-archived',
      'project-revived',
    ]);
  });
});
