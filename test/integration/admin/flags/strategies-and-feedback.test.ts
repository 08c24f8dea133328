import { expect } from 'chai';
import { aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';

const PATH = '/api/admin/strategies';

describe('the admin API of', () => {
  const world = sharedAdminWorld();

  describe('strategies', () => {
    async function names(): Promise<string[]> {
      const { body } = await world.api.get(PATH);
      return (body as { strategies: { name: string }[] }).strategies.map(({ name }) => name);
    }

    it('are initially the four built-in ones', async () => {
      const { body } = await world.api.get(PATH);
      expect(body).to.include({ version: 1 });
      const { strategies } = body as { strategies: { editable: boolean }[] };
      expect(strategies.map(({ editable }) => editable)).to.deep.equal([false, false, false, false]);
      expect(await names()).to.deep.equal([
        'flexibleRollout',
        'default',
        'remoteAddress',
        'applicationHostname',
      ]);
      expect(Object.keys(strategies[0] ?? {})).to.have.members([
        'title',
        'name',
        'displayName',
        'description',
        'editable',
        'deprecated',
        'parameters',
      ]);
    });

    it('are created, updated, deprecated, reactivated and deleted, each with its event', async () => {
      const { api } = world;
      const created = await api.post(PATH, { name: 'mine', parameters: [{ name: 'p', type: 'list' }] });
      expect(created.status).to.equal(201);
      expect(created.body).to.deep.equal({
        title: null,
        name: 'mine',
        displayName: null,
        description: null,
        editable: true,
        deprecated: false,
        parameters: [{ name: 'p', type: 'list', description: '', required: false }],
      });
      const read = { headers: { 'if-match': (await api.get(`${PATH}/mine`)).headers.get('etag') ?? '' } };
      const updated = await api.put(`${PATH}/mine`, { description: 'new', parameters: [] }, read);
      expect(updated.body).to.include({ description: 'new' });
      expect((await api.put(`${PATH}/mine`, { parameters: [] }, read)).status).to.equal(412);
      for (const verb of ['deprecate', 'deprecate'])
        expect((await api.post(`${PATH}/mine/${verb}`)).status).to.equal(200);
      expect((await api.get(`${PATH}/mine`)).body).to.include({ deprecated: true });
      expect((await api.post(`${PATH}/mine/reactivate`)).status).to.equal(200);
      expect(await names()).to.include('mine');
      expect((await api.delete(`${PATH}/mine`)).status).to.equal(200);
      expect((await api.get(`${PATH}/mine`)).status).to.equal(404);
      const { rows } = await world.db.query<{ type: string }>(
        `select type from events where type like 'strategy-%' order by id`,
      );
      expect(rows.map(({ type }) => type)).to.deep.equal([
        'strategy-created',
        'strategy-updated',
        'strategy-deprecated',
        'strategy-reactivated',
        'strategy-deleted',
      ]);
    });

    it('cannot be changed when built in, unknown, or by a Viewer; names are unique', async () => {
      const { api } = world;
      const { token } = await aUser(api, 'Viewer', 'vera');
      const body = { parameters: [] };
      expect((await api.put(`${PATH}/default`, body)).body).to.include({ name: 'NoAccessError' });
      expect((await api.delete(`${PATH}/default`)).status).to.equal(403);
      expect((await api.post(`${PATH}/default/deprecate`)).status).to.equal(403);
      expect((await api.post(`${PATH}/nothing/reactivate`)).status).to.equal(404);
      expect((await api.put(`${PATH}/nothing`, body)).status).to.equal(404);
      expect((await api.delete(`${PATH}/nothing`)).status).to.equal(404);
      expect((await api.post(PATH, { name: 'default', ...body })).body).to.include({
        name: 'NameExistsError',
      });
      expect((await api.post(PATH, { name: 'x', ...body }, { token })).status).to.equal(403);
      const bad = { name: 'x', parameters: [{ name: 'p', type: 'date' }] };
      expect((await api.post(PATH, bad)).body).to.include({ name: 'ValidationError' });
    });
  });

  describe('feedback', () => {
    it('is a plain array, newest first, with all seven keys', async () => {
      const { api } = world;
      expect((await api.get('/api/admin/feedback')).body).to.deep.equal([]);
      const { token } = await aUser(api, 'Viewer', 'vincent');
      const first = await api.post('/api/admin/feedback', { category: 'search' }, { token });
      expect(first.status).to.equal(201);
      const whole = {
        category: 'insights',
        userType: 'pro',
        difficultyScore: 5,
        positive: 'fast',
        areasForImprovement: '',
      };
      const second = await api.post('/api/admin/feedback', whole);
      expect(second.body).to.include(whole);
      const { body } = await api.get('/api/admin/feedback', { token });
      expect(body).to.deep.equal([second.body, first.body]);
      expect(first.body).to.include({ userType: null, difficultyScore: null, positive: null });
      expect(first.body).to.have.all.keys(
        'id',
        'createdAt',
        'category',
        'userType',
        'difficultyScore',
        'positive',
        'areasForImprovement',
      );
    });

    it('is rejected if it does not match the schema', async () => {
      for (const body of [
        {},
        { category: '' },
        { category: 'x', userType: 'king' },
        { category: 'x', difficultyScore: 8 },
      ]) {
        const answer = await world.api.post('/api/admin/feedback', body);
        expect(answer.body).to.include({ name: 'ValidationError' });
      }
    });
  });
});
