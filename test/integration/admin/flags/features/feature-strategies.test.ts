import { randomUUID } from 'node:crypto';
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
const pathOf = (feature: string, environment = 'production') =>
  `${FEATURES}/${feature}/environments/${environment}/strategies`;

type Strategy = { readonly id: string; readonly sortOrder: number; readonly parameters: object };
type Recorded = { readonly type: string; readonly data: unknown; readonly preData: unknown };

const ROLLOUT = { name: 'flexibleRollout', parameters: { rollout: '25' } };
const variant = (name: string, weight: number, stickiness = 'userId') => ({
  name,
  weight,
  weightType: 'variable',
  stickiness,
});

const constrained = (constraint: object) => ({
  ...ROLLOUT,
  constraints: [{ contextName: 'x', ...constraint }],
});

describe('strategies of features', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let viewer: string;
  let editor: string;
  before(async () => {
    ({ api } = world);
    viewer = (await aUser(api, 'Viewer', 'vera')).token;
    editor = (await aUser(api, 'Editor', 'edda')).token;
  });

  async function attach(feature: string, content: object = ROLLOUT, call?: Call): Promise<Strategy> {
    const answer = await api.post(pathOf(feature), content, call);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Strategy;
  }

  async function lastEventOf(feature: string): Promise<Recorded | undefined> {
    const { body } = await api.get(`/api/admin/events/${feature}`);
    return (body as { events: Recorded[] }).events[0];
  }

  const listed = async (feature: string) => (await api.get(pathOf(feature))).body as Strategy[];

  it('are attached, replaced and removed, with one event each that has both states', async () => {
    await aFeature(api, 'rolled');
    const variants = [variant('blue', 600), variant('red', 400)];
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['DE'] }];
    const added = await attach('rolled', { ...ROLLOUT, constraints, variants }, { token: editor });
    expect(added).to.deep.include({
      name: 'flexibleRollout',
      parameters: { rollout: '25', stickiness: 'default', groupId: 'rolled' },
      constraints,
      variants,
      disabled: false,
      sortOrder: 0,
    });
    expect(await listed('rolled')).to.deep.equal([added]);
    const { sortOrder: _, ...stored } = added;
    expect(await lastEventOf('rolled')).to.deep.include({ type: 'feature-strategy-add', data: stored });

    const path = `${pathOf('rolled')}/${added.id}`;
    const replaced = await api.put(path, { ...added, disabled: true, title: 'all of them' });
    expect(replaced.body).to.deep.equal({ ...added, disabled: true, title: 'all of them' });
    expect((await api.get(path)).body).to.deep.equal(replaced.body);
    expect(await lastEventOf('rolled')).to.deep.include({
      type: 'feature-strategy-update',
      preData: stored,
      environment: 'production',
    });
    expect((await api.put(path, replaced.body)).status, 'nothing changes').to.equal(200);

    expect((await api.delete(path)).status).to.equal(200);
    expect(await listed('rolled')).to.deep.equal([]);
    expect(await eventTypesOf(api, 'rolled')).to.deep.equal([
      'feature-created',
      'feature-strategy-add',
      'feature-strategy-update',
      'feature-strategy-remove',
    ]);
  });

  it('keep their order until they are sorted, with one event', async () => {
    await aFeature(api, 'sorted');
    const ids = [];
    for (const rollout of ['1', '2', '3'])
      ids.push((await attach('sorted', { name: 'flexibleRollout', parameters: { rollout } })).id);
    const [first = '', second = '', third = ''] = ids;
    const order = [
      { id: third, sortOrder: 0 },
      { id: first, sortOrder: 2 },
    ];
    expect((await api.post(`${pathOf('sorted')}/set-sort-order`, order)).status).to.equal(200);
    expect((await listed('sorted')).map(({ id }) => id)).to.deep.equal([third, second, first]);
    expect(await lastEventOf('sorted')).to.deep.include({
      type: 'strategy-order-changed',
      data: { strategyIds: [third, second, first] },
      preData: { strategyIds: [first, second, third] },
    });
    const unknown = await api.post(`${pathOf('sorted')}/set-sort-order`, [
      { id: randomUUID(), sortOrder: 0 },
    ]);
    expect(unknown.status).to.equal(404);
  });

  const INVALID: Readonly<Record<string, object>> = {
    '/variants: weights below 1000': { ...ROLLOUT, variants: [variant('a', 500), variant('b', 499)] },
    '/variants: the same name twice': { ...ROLLOUT, variants: [variant('a', 500), variant('a', 500)] },
    '/variants: two kinds of stickiness': {
      ...ROLLOUT,
      variants: [variant('a', 500), variant('b', 500, 'random')],
    },
    '/variants/0/weight: a negative weight': { ...ROLLOUT, variants: [variant('a', -1), variant('b', 1001)] },
    '/variants/0/weight: a fraction': { ...ROLLOUT, variants: [variant('a', 0.5)] },
    '/parameters/rollout: beyond 100': { name: 'flexibleRollout', parameters: { rollout: '101' } },
    '/parameters/rollout: a fraction': { name: 'flexibleRollout', parameters: { rollout: '2.5' } },
    '/parameters/IPs: a missing parameter': { name: 'remoteAddress' },
    '/name: an unknown type': { name: 'nobody-knows' },
    '/constraints/0/operator: unknown': constrained({ operator: 'LIKE', values: ['%'] }),
    '/constraints/0/values: none for a text': constrained({ operator: 'STR_CONTAINS', values: [] }),
    '/constraints/0/value: no number': constrained({ operator: 'NUM_GT', value: 'many' }),
    '/constraints/0/value: 30 February': constrained({
      operator: 'DATE_AFTER',
      value: '2026-02-30T00:00:00Z',
    }),
    '/constraints/0/value: no pattern': constrained({ operator: 'REGEX', value: '' }),
    '/constraints/0/inverted: REGEX': constrained({ operator: 'REGEX', value: '^a', inverted: true }),
    '/constraints/0/value: no version': constrained({ operator: 'SEMVER_GT', value: '1.2' }),
    ': a misspelt member': { ...ROLLOUT, constraint: [] },
  };
  for (const [title, content] of Object.entries(INVALID)) {
    it(`are rejected with the place of the mistake, ${title}`, async () => {
      const [feature, path] = [`invalid-${randomUUID()}`, title.split(': ')[0]];
      await aFeature(api, feature);
      const answer = await api.post(pathOf(feature), content);
      expect(answer.status).to.equal(400);
      const { details } = answer.body as { details: { path: string }[] };
      expect(details.map((detail) => detail.path)).to.include(path);
      expect(await eventTypesOf(api, feature)).to.deep.equal(['feature-created']);
    });
  }

  it('are bounded in number', async () => {
    await aFeature(api, 'many');
    for (let index = 0; index < 30; index += 1) await attach('many');
    expect((await api.post(pathOf('many'), ROLLOUT)).status).to.equal(400);
  });

  it('are not changed by Viewers, in what Unleash owns, archived, unknown, or somewhere else', async () => {
    await aFeature(api, 'kept');
    const { id } = await attach('kept');
    const path = `${pathOf('kept')}/${id}`;
    expect((await api.post(pathOf('kept'), ROLLOUT, { token: viewer })).status).to.equal(403);
    expect((await api.put(path, ROLLOUT, { token: viewer })).status).to.equal(403);
    expect((await api.put(`${pathOf('kept', 'development')}/${id}`, ROLLOUT)).status).to.equal(404);
    expect((await api.post(pathOf('kept', 'nowhere'), ROLLOUT)).status).to.equal(404);
    expect((await api.get(pathOf('nothing'))).status).to.equal(404);
    await world.db.query("update features set source = 'unleash' where name = 'kept'");
    const theirs = await api.delete(path);
    expect(theirs.status).to.equal(409);
    expect(theirs.body).to.have.property('message', 'Unleash owns this feature: change it there.');
    await world.db.query("update features set source = 'flagmeter' where name = 'kept'");
    await api.delete('/api/admin/archive/kept');
    expect((await api.delete(path)).status).to.equal(409);
    expect(await eventTypesOf(api, 'kept')).to.deep.equal([
      'feature-created',
      'feature-strategy-add',
      'feature-archived',
    ]);
  });

  it('are attached by exactly one of several callers that read the same state', async () => {
    await aFeature(api, 'contended');
    const etag = (await api.get(pathOf('contended'))).headers.get('etag') ?? '';
    const call = { headers: { 'if-match': etag } };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => api.post(pathOf('contended'), ROLLOUT, call)),
    );
    expect(answers.map(({ status }) => status)).to.have.members([200, ...Array<number>(5).fill(412)]);
    expect((await listed('contended')).length).to.equal(1);
  });

  describe('where approvals are required', () => {
    const IN_PRODUCTION = '/api/admin/projects/careful/environments/production/change-requests';
    const STRATEGIES = '/api/admin/projects/careful/features/cautious/environments/production/strategies';
    before(async () => {
      await api.post('/api/admin/projects', { id: 'careful', name: 'Careful' });
      await api.put(`${IN_PRODUCTION}/config`, { requiredApprovals: 1 });
      await aFeature(api, 'cautious', 'careful');
    });

    async function apply(changes: readonly object[]): Promise<{ status: number; body: unknown }> {
      const opened = await api.post(IN_PRODUCTION, { changes }, { token: editor });
      if (opened.status !== 200) return opened;
      const path = `/api/admin/projects/careful/change-requests/${(opened.body as { id: number }).id}`;
      const lead = (state: string, token?: string) => stepAsRead(api, { path, change: { state }, token });
      await lead('In review', editor);
      await lead('Approved');
      const applied = await lead('Applied');
      if (applied.status !== 200) await lead('Cancelled');
      return applied;
    }

    const change = (action: string, payload: unknown) => ({ feature: 'cautious', action, payload });
    const current = async () => (await api.get(STRATEGIES)).body as Strategy[];

    it('are changed by a change request instead: 409 says so', async () => {
      const rejected = await api.post(STRATEGIES, ROLLOUT, { token: editor });
      expect(rejected.status).to.equal(409);
      expect(rejected.body).to.include({ name: 'ApprovalRequired' });
      expect((rejected.body as { message: string }).message).to.match(/open a change request/);
      const added = await apply([change('addStrategy', ROLLOUT), change('addStrategy', { name: 'default' })]);
      expect(added.status, JSON.stringify(added.body)).to.equal(200);
      const [rollout, standard] = await current();
      expect(rollout?.parameters).to.include({ rollout: '25' });
      const id = rollout?.id ?? '';
      const wider = { id, name: 'flexibleRollout', parameters: { rollout: '50' } };
      const changed = await apply([
        change('updateStrategy', wider),
        change('reorderStrategy', [{ id, sortOrder: 9 }]),
      ]);
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
      expect((await current()).map((strategy) => strategy.id)).to.deep.equal([standard?.id, id]);
      expect((await apply([change('deleteStrategy', { id })])).status).to.equal(200);
      expect((await current()).map((strategy) => strategy.id)).to.deep.equal([standard?.id]);
    });

    it('are checked when the change is added, and again when it is applied, all or none', async () => {
      const invalid = { ...ROLLOUT, variants: [variant('a', 1)] };
      for (const [action, payload] of [
        ['addStrategy', invalid],
        ['addStrategy', { name: 'nobody-knows' }],
        ['addStrategy', { ...ROLLOUT, constraint: [] }],
        ['updateStrategy', ROLLOUT],
        ['deleteStrategy', { id: 'x' }],
        ['reorderStrategy', []],
      ] as const) {
        const answer = await api.post(
          IN_PRODUCTION,
          { changes: [change(action, payload)] },
          { token: editor },
        );
        expect(answer.status, action).to.equal(400);
        expect((answer.body as { message: string }).message).to.match(/^The payload of \w+ is not valid: /);
      }
      const before = await current();
      const gone = await apply([
        change('addStrategy', ROLLOUT),
        change('deleteStrategy', { id: randomUUID() }),
      ]);
      expect(gone.status).to.equal(400);
      expect((gone.body as { message: string }).message).to.match(/does not have the strategy/);
      expect(await current()).to.deep.equal(before);
    });
  });
});
