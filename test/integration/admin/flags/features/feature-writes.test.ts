import { expect } from 'chai';
import {
  type Api,
  type Call,
  aFeature,
  aUser,
  sharedAdminWorld,
  eventTypesOf,
} from '../../../../support/admin-api/admin.ts';
import { stepAsRead } from '../../../../support/admin-api/change-requests.ts';

const FEATURES = '/api/admin/projects/default/features';

type Recorded = { readonly type: string; readonly data: unknown; readonly preData: unknown };

describe('changes of features', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let viewer: string;
  let editor: string;
  before(async () => {
    ({ api } = world);
    viewer = (await aUser(api, 'Viewer', 'vera')).token;
    editor = (await aUser(api, 'Editor', 'edda')).token;
    for (const id of ['shop', 'guarded']) await api.post('/api/admin/projects', { id, name: id });
    await requireApprovals('guarded', 1);
    await world.db.query("insert into projects (id, name, source) values ('theirs', 'Theirs', 'unleash')");
    await world.db.query(
      "insert into features (name, project, source) values ('copied', 'theirs', 'unleash')",
    );
  });

  async function requireApprovals(project: string, requiredApprovals: number): Promise<void> {
    const path = `/api/admin/projects/${project}/environments/production/change-requests/config`;
    expect((await api.put(path, { requiredApprovals })).status).to.equal(200);
  }

  async function lastEventOf(feature: string): Promise<Recorded | undefined> {
    const { body } = await api.get(`/api/admin/events/${feature}`);
    return (body as { events: Recorded[] }).events[0];
  }

  const onIn = (path: string, call?: Call) => api.post(`${path}/environments/production/on`, undefined, call);

  describe('of their description, type and marks', () => {
    it('write what the body names and one event with both states', async () => {
      await api.post(FEATURES, { name: 'edited', description: 'first', impressionData: true });
      const plain = { stale: false, owner: null, tags: [], guards: [] };
      const answer = await api.put(
        `${FEATURES}/edited`,
        { type: 'experiment', description: null },
        { token: editor },
      );
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include({
        type: 'experiment',
        description: null,
        impressionData: true,
        stale: false,
      });
      expect((await api.get(`${FEATURES}/edited`)).body).to.deep.equal(answer.body);
      expect(await lastEventOf('edited')).to.deep.include({
        type: 'feature-metadata-updated',
        createdBy: 'edda',
        preData: { ...plain, type: 'release', description: 'first', impressionData: true },
        data: { ...plain, type: 'experiment', description: null, impressionData: true },
      });
    });

    it('set the stale mark, owner and tags, from the creation on', async () => {
      const before = { stale: true, owner: 'Checkout team', tags: ['quarter:q4', 'team:checkout'] };
      expect((await api.post(FEATURES, { name: 'owned', stale: 'yes' })).status).to.equal(400);
      const created = await api.post(FEATURES, { name: 'owned', ...before, tags: before.tags.toReversed() });
      expect(created.body).to.deep.include(before);
      expect((await lastEventOf('owned'))?.data).to.deep.include(before);
      expect((await api.put(`${FEATURES}/owned`, before)).status).to.equal(200);
      const after = { stale: false, owner: null, tags: ['team:search'] };
      expect((await api.put(`${FEATURES}/owned`, after)).body).to.deep.include(after);
      const { type, data, preData } = (await lastEventOf('owned')) ?? {};
      expect(type).to.equal('feature-metadata-updated');
      expect(preData).to.deep.include(before);
      expect(data).to.deep.include(after);
      expect(await eventTypesOf(api, 'owned')).to.have.length(2);
    });

    it('set the owner of a feature of Unleash, and nothing else there', async () => {
      const path = '/api/admin/projects/theirs/features/copied';
      const answer = await api.put(path, { owner: 'Checkout team' });
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include({ owner: 'Checkout team', source: 'unleash' });
      expect((await api.put(path, { owner: 'Search team', tags: [] })).status).to.equal(409);
    });

    it('have events of their own for the stale mark, and none if nothing changes', async () => {
      await aFeature(api, 'marked');
      for (const stale of [true, true, false])
        expect((await api.put(`${FEATURES}/marked`, { stale })).body).to.include({ stale });
      expect(await eventTypesOf(api, 'marked')).to.deep.equal([
        'feature-created',
        'feature-stale-on',
        'feature-stale-off',
      ]);
    });

    it('are rejected by schema, for Viewers, archived features, other projects and what Unleash owns', async () => {
      await aFeature(api, 'kept');
      const path = `${FEATURES}/kept`;
      const hostile = [
        {},
        { name: 'other' },
        { archived: true },
        { source: 'unleash' },
        { version: 9 },
        { stale: 'yes' },
        { type: '' },
        { type: 'x'.repeat(256) },
        { description: 'x'.repeat(10_001) },
        { description: 'a\u0000b' },
        { owner: '' },
        { owner: 'x'.repeat(256) },
        { tags: null },
        { tags: ['untyped'] },
        { tags: ['team:'] },
        { tags: ['team:a', 'team:a'] },
        { tags: [`team:${'x'.repeat(97)}`] },
        { tags: ['team:a\u0000b'] },
        { tags: Array.from({ length: 101 }, (_, index) => `team:${index}`) },
      ];
      for (const body of hostile)
        expect((await api.put(path, body)).status, JSON.stringify(body).slice(0, 40)).to.equal(400);
      expect((await api.put(path, { stale: true }, { token: viewer })).status).to.equal(403);
      expect((await api.put('/api/admin/projects/shop/features/kept', { stale: true })).status).to.equal(404);
      const theirs = await api.put('/api/admin/projects/theirs/features/copied', { stale: true });
      expect(theirs.status).to.equal(409);
      expect(theirs.body).to.have.property('name', 'OwnedByUnleash');
      expect(theirs.body).to.have.property('message', 'Unleash owns this feature: change it there.');
      await api.delete('/api/admin/archive/kept');
      expect((await api.put(path, { stale: true })).body).to.include({ name: 'FeatureArchived' });
      expect(await eventTypesOf(api, 'kept')).to.deep.equal(['feature-created', 'feature-archived']);
    });
  });

  describe('of their project', () => {
    const move = (feature: string, newProjectId: string, call?: Call) =>
      api.post(`${FEATURES}/${feature}/changeProject`, { newProjectId }, call);

    it('move the feature with its environments, with an event in each project', async () => {
      await aFeature(api, 'moved');
      await onIn(`${FEATURES}/moved`);
      expect((await move('moved', 'shop', { token: editor })).status).to.equal(200);
      expect((await api.get(`${FEATURES}/moved`)).status).to.equal(404);
      const { body } = await api.get('/api/admin/projects/shop/features/moved');
      expect(body).to.have.nested.property('environments[1].enabled', true);
      expect(await lastEventOf('moved')).to.deep.include({
        type: 'feature-project-change',
        project: 'shop',
        preData: { project: 'default' },
        data: { project: 'shop' },
      });
      const left = await api.get(
        '/api/admin/search/events?feature=moved&project=default&type=feature-left-project',
      );
      expect(left.body).to.have.nested.property('items[0].data.project', 'shop');
    });

    it('are rejected for unknown projects, projects of Unleash, and where approvals are required', async () => {
      await aFeature(api, 'stays');
      expect((await move('stays', 'nowhere')).status).to.equal(404);
      expect((await move('stays', 'theirs')).status).to.equal(409);
      expect((await move('stays', 'guarded', { token: editor })).status).to.equal(403);
      expect((await move('stays', 'shop', { token: viewer })).status).to.equal(403);
      for (const newProjectId of [7, null, 'x'.repeat(256), '\u0000'])
        expect((await api.post(`${FEATURES}/stays/changeProject`, { newProjectId })).status).to.equal(400);
      expect(await eventTypesOf(api, 'stays')).to.deep.equal(['feature-created']);
      expect((await move('stays', 'guarded')).status, 'an Admin').to.equal(200);
      const back = { newProjectId: 'default' };
      const path = '/api/admin/projects/guarded/features/stays/changeProject';
      expect((await api.post(path, back, { token: editor })).status).to.equal(403);
    });

    it('stop change requests of the old project from being applied', async () => {
      await aFeature(api, 'escaped');
      const change = { feature: 'escaped', action: 'updateEnabled', payload: { enabled: true } };
      const opened = await api.post('/api/admin/projects/default/environments/production/change-requests', {
        changes: [change],
      });
      const path = `/api/admin/projects/default/change-requests/${(opened.body as { id: number }).id}`;
      const lead = (state: string) => stepAsRead(api, { path, change: { state } });
      await lead('In review');
      await lead('Approved');
      await move('escaped', 'guarded');
      const applied = await lead('Applied');
      expect(applied.status).to.equal(400);
      expect(applied.body)
        .to.have.property('message')
        .that.matches(/moved to another project/);
    });
  });

  describe('on and off', () => {
    it('answer 409 where approvals are required, and a change request can hold the change', async () => {
      await aFeature(api, 'careful', 'guarded');
      const path = '/api/admin/projects/guarded/features/careful';
      const rejected = await onIn(path, { token: editor });
      expect(rejected.status).to.equal(409);
      expect(rejected.body)
        .to.have.property('message')
        .that.matches(/open a change request/);
      const requested = await api.post(
        '/api/admin/projects/guarded/environments/production/change-requests',
        { changes: [{ feature: 'careful', action: 'updateEnabled', payload: { enabled: true } }] },
        { token: editor },
      );
      expect(requested.status).to.equal(200);
      const elsewhere = await api.post(`${path}/environments/development/on`, undefined, { token: editor });
      expect(elsewhere.status).to.equal(200);
      expect((await onIn(path)).status, 'an Admin').to.equal(200);
    });
  });
});
