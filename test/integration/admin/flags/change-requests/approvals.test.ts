import { expect } from 'chai';
import { type Api, aFeature, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { eventually } from '../../../../support/eventually.ts';

const PROJECT = '/api/admin/projects/guarded';
const REQUESTS = `${PROJECT}/change-requests`;

type Shown = {
  readonly id: number;
  readonly state: string;
  readonly minApprovals: number;
  readonly features: readonly { readonly changes: readonly { readonly id: number }[] }[];
};
type Person = { readonly id: number; readonly token: string };
type Recorded = { readonly type: string; readonly data: unknown; readonly preData: unknown };

describe('approvals', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let ana: Person;
  let ben: Person;
  let cleo: Person;
  let ada: Person;
  before(async () => {
    ({ api } = world);
    [ana, ben, cleo] = [
      await aUser(api, 'Editor', 'ana'),
      await aUser(api, 'Editor', 'ben'),
      await aUser(api, 'Editor', 'cleo'),
    ];
    ada = await aUser(api, 'Admin', 'ada');
    await api.post('/api/admin/projects', { id: 'guarded', name: 'Guarded' });
  });
  after(() => world.dispose());
  beforeEach(() => requireApprovals('production', 0));

  async function requireApprovals(environment: string, requiredApprovals: number): Promise<void> {
    const path = `${PROJECT}/environments/${environment}/change-requests/config`;
    expect((await api.put(path, { requiredApprovals })).status).to.equal(200);
  }

  async function aDraft(change: object, environment = 'production'): Promise<Shown> {
    const path = `${PROJECT}/environments/${environment}/change-requests`;
    const answer = await api.post(path, { changes: [change] }, { token: ana.token });
    expect(answer.status).to.equal(200);
    return answer.body as Shown;
  }

  const enable = (feature: string) => ({ feature, action: 'updateEnabled', payload: { enabled: true } });
  const look = async (id: number) => (await api.get(`${REQUESTS}/${id}`, ana)).body as Shown;

  async function lead(id: number, state: string, { token }: Person): Promise<Shown> {
    const answer = await stepAsRead(api, { path: `${REQUESTS}/${id}`, change: { state }, token });
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body as Shown;
  }

  it('are required as the setting says when a request is submitted, however old the draft', async () => {
    await aFeature(api, 'submitted', 'guarded');
    const { id } = await aDraft(enable('submitted'));
    await requireApprovals('production', 2);
    expect(await lead(id, 'In review', ana)).to.include({ minApprovals: 2 });
    expect(await lead(id, 'Approved', ben)).to.include({ state: 'In review' });
    expect(await lead(id, 'Approved', cleo)).to.include({ state: 'Approved' });

    await requireApprovals('production', 3);
    expect(await look(id)).to.include({ state: 'Approved', minApprovals: 3 });
    const change = (await look(id)).features[0]?.changes[0]?.id ?? 0;
    const edited = await api.put(
      `${REQUESTS}/${id}/changes/${change}`,
      { action: 'updateEnabled', payload: { enabled: false } },
      ana,
    );
    expect(edited.body).to.include({ state: 'In review', minApprovals: 3 });
    await lead(id, 'Cancelled', ana);
  });

  it('of a request that archives must reach the maximum of all environments of the project', async () => {
    await aFeature(api, 'archived', 'guarded');
    await requireApprovals('production', 3);
    const { id } = await aDraft(enable('archived'), 'development');
    expect((await aDraft({ feature: 'archived', action: 'archiveFeature' }, 'development')).id).to.equal(id);
    expect(await lead(id, 'In review', ana)).to.include({ minApprovals: 3 });
    await lead(id, 'Cancelled', ana);
  });

  it('are required to archive and revive if an environment requires them, except for an Admin', async () => {
    await aFeature(api, 'kept', 'guarded');
    const archive = ({ token }: Person) => api.delete('/api/admin/archive/kept', { token });
    const revive = ({ token }: Person) => api.post('/api/admin/archive/revive/kept', undefined, { token });
    expect((await archive(ben)).status).to.equal(200);
    expect((await revive(ben)).status).to.equal(200);

    await requireApprovals('production', 1);
    const rejected = await archive(ben);
    expect(rejected.status).to.equal(409);
    expect((rejected.body as { message: string }).message).to.match(/open a change request/);
    expect((await archive(ada)).status).to.equal(200);
    expect((await archive(ben)).status, 'is already archived').to.equal(200);
    expect((await revive(ben)).status).to.equal(403);
    expect((await revive(ada)).status).to.equal(200);

    const { id } = await aDraft({ feature: 'kept', action: 'archiveFeature' });
    await lead(id, 'In review', ana);
    await lead(id, 'Approved', ben);
    await lead(id, 'Applied', ben);
    const { body } = await api.get(`${PROJECT}/features/kept`);
    expect(body).to.include({ archived: true });
  });

  it('and reviews do not reveal the feature of a draft to anybody else before it is submitted', async () => {
    await aFeature(api, 'secret-plan', 'guarded');
    const discarded = await aDraft(enable('secret-plan'));
    expect((await api.delete(`${REQUESTS}/${discarded.id}`, ana)).status).to.equal(200);
    const { id, features } = await aDraft(enable('secret-plan'));
    const change = `${REQUESTS}/${id}/changes/${features[0]?.changes[0]?.id ?? 0}`;
    await api.put(change, { action: 'updateEnabled', payload: { enabled: false, why: 'secret-plan' } }, ana);
    await aDraft({ feature: 'secret-plan', action: 'archiveFeature' });

    const recorded = async (path: string) => ((await api.get(path)).body as { events: Recorded[] }).events;
    const ofFeature = () => recorded('/api/admin/events/secret-plan');
    expect((await ofFeature()).map(({ type }) => type)).to.deep.equal(['feature-created']);
    const events = (await recorded('/api/admin/events?project=guarded')).filter(({ type }) =>
      /^change-/.test(type),
    );
    expect(JSON.stringify(events)).not.to.include('secret-plan');

    await lead(id, 'In review', ana);
    expect((await ofFeature()).map(({ type }) => type)).to.deep.equal([
      'change-added',
      'change-added',
      'feature-created',
    ]);
    await lead(id, 'Cancelled', ana);
  });

  it('by the token of an Admin who has left stay valid, unless TOKENS_END_WITH_CREATOR is set', async () => {
    const eva = await aUser(api, 'Admin', 'eva');
    const { body } = await api.post('/api/admin/api-tokens', { tokenName: 'x', type: 'admin' }, eva);
    await api.delete(`/api/admin/user-admin/${eva.id}`);
    const { secret } = body as { secret: string };
    expect((await api.get('/api/admin/projects', { token: secret })).status).to.equal(200);
  });
});

describe('API tokens', () => {
  const world = sharedAdminWorld({ TOKENS_END_WITH_CREATOR: 'true' });
  after(() => world.dispose());

  async function aToken(tokenName: string, type: string, token: string) {
    const { body } = await world.api.post('/api/admin/api-tokens', { tokenName, type }, { token });
    return body as { id: string; secret: string };
  }

  it('record their creator, and are revoked with that user if the setting says so, including tokens created by those tokens', async () => {
    const { api } = world;
    const [ada, ben] = [await aUser(api, 'Admin', 'ada'), await aUser(api, 'Admin', 'ben')];
    const first = await aToken('first', 'admin', ada.token);
    const second = await aToken('second', 'client', first.secret);
    const other = await aToken('other', 'admin', ben.token);
    const listed = async (): Promise<object[]> =>
      ((await api.get('/api/admin/api-tokens')).body as { tokens: object[] }).tokens;
    expect(await listed()).to.satisfy((tokens: { id: string }[]) => {
      expect(tokens.find(({ id }) => id === first.id)).to.include({
        createdByUserId: ada.id,
        createdByTokenId: null,
      });
      expect(tokens.find(({ id }) => id === second.id)).to.include({
        createdByUserId: -42,
        createdByTokenId: first.id,
      });
      return true;
    });
    const status = async (token: string) => (await api.get('/api/admin/projects', { token })).status;
    expect(await status(first.secret)).to.equal(200);

    expect((await api.delete(`/api/admin/user-admin/${ada.id}`)).status).to.equal(200);
    await eventually(
      () => status(first.secret),
      (answer) => answer === 401,
    );
    expect(await status(other.secret)).to.equal(200);
    const { rows } = await world.db.query<{ id: string }>(
      `select pre_data->>'id' as id from events where type = 'api-token-deleted' order by id`,
    );
    expect(rows.map(({ id }) => id)).to.have.members([first.id, second.id]);
  });
});
