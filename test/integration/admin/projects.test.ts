import { expect } from 'chai';
import { type AdminWorld, aFeature, createAdminWorld } from '../../support/admin.ts';

describe('projects and environments', () => {
  let world: AdminWorld;
  before(async () => {
    world = await createAdminWorld();
  });
  after(() => world.dispose());

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
    });
    const events = (await api.get('/api/admin/events')).body as { events: { type: string }[] };
    expect(events.events.map(({ type }) => type)).to.deep.equal([
      'feature-created',
      'environment-created',
      'project-created',
    ]);
  });
});
