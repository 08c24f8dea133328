import { expect } from 'chai';
import { type Api, aFeature, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { revokePersonalTokens } from '../../../../support/admin-api/personal-tokens.ts';
import { eventually } from '../../../../support/eventually.ts';
import { someByDay } from '../../../../support/nightly.ts';

const PROJECT = '/api/admin/projects/timed';
const IN_PRODUCTION = `${PROJECT}/environments/production/change-requests`;

type Person = { readonly id: number; readonly token: string; readonly tokenId?: string };
type Shown = {
  readonly id: number;
  readonly state: string;
  readonly schedule?: { readonly status: string; readonly reason?: string };
};
/** How the person comes by the permission to apply, and how it ends. `reason` is undefined if it does not end. */
type Loss = {
  readonly makes: (name: string) => Promise<Person>;
  readonly loses: (person: Person) => Promise<unknown>;
  readonly reason: RegExp | undefined;
};

describe('whoever has scheduled a change request', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let admin: Person;
  before(async () => {
    ({ api } = world);
    await api.post('/api/admin/projects', { id: 'timed', name: 'Timed' });
    admin = await aUser(api, 'Admin', 'admin');
  });

  const editor = (name: string): Promise<Person> => aUser(api, 'Editor', name);
  const grant = (user: string, environments: readonly string[] = []) =>
    api.post(`${PROJECT}/access`, { user, role: 'Editor', environments });
  const projectEditor = async (name: string): Promise<Person> => {
    const person = await aUser(api, 'None', name);
    await grant(name);
    return person;
  };
  const pipeline = async (tokenName: string): Promise<Person> => {
    const { body } = await api.post('/api/admin/api-tokens', { tokenName, type: 'admin' });
    const { id, secret } = body as { id: string; secret: string };
    return { id: -42, token: secret, tokenId: id };
  };
  const LOST = /has lost the permission to apply it\./;
  const LOSSES: Readonly<Record<string, Loss>> = {
    'keeps every right': { makes: editor, loses: () => Promise.resolve(), reason: undefined },
    'becomes a Viewer': {
      makes: editor,
      loses: ({ id }) => api.put(`/api/admin/user-admin/${id}`, { rootRole: 'Viewer' }),
      reason: LOST,
    },
    'is deleted': {
      makes: editor,
      loses: ({ id }) => api.delete(`/api/admin/user-admin/${id}`),
      reason: /the user was deleted/,
    },
    'has used a personal token that is revoked': {
      makes: editor,
      loses: (person) => revokePersonalTokens(api, person),
      reason: /the personal token that was used for it was revoked/,
    },
    'loses the role in the project': {
      makes: projectEditor,
      loses: ({ id }) => api.delete(`${PROJECT}/access/${id}/Editor`),
      reason: LOST,
    },
    'has the role in another environment only': {
      makes: projectEditor,
      loses: async ({ id }) => {
        await api.delete(`${PROJECT}/access/${id}/Editor`);
        await grant('has the role in another environment only', ['development']);
      },
      reason: LOST,
    },
    'is an ADMIN token that goes on': {
      makes: pipeline,
      loses: () => Promise.resolve(),
      reason: undefined,
    },
    'is an ADMIN token that is revoked': {
      makes: pipeline,
      loses: ({ tokenId = '' }) => api.delete(`/api/admin/api-tokens/${tokenId}`),
      reason: /the token was revoked/,
    },
    'is an ADMIN token that expires': {
      makes: pipeline,
      loses: ({ tokenId }) =>
        world.db.query('update api_tokens set expires_at = now() where id = $1', [tokenId]),
      reason: /the token has expired/,
    },
  };

  const losses = someByDay(Object.entries(LOSSES), 1 / 3, ([, { reason }]) => reason === undefined);
  for (const [name, { makes, loses, reason }] of losses) {
    it(`${name}: the request is ${reason === undefined ? 'applied' : 'not applied, with the reason'}`, async () => {
      const person = await makes(name);
      const id = await schedule(name, person);
      await loses(person);
      await world.db.query(
        'update change_request_schedule set scheduled_at = now() where change_request = $1',
        [id],
      );
      const done = await eventually(
        () => look(id),
        ({ schedule: made }) => made?.status !== 'pending',
      );
      expect(done.state).to.equal(reason === undefined ? 'Applied' : 'Scheduled');
      expect(await isOn(name)).to.equal(reason === undefined);
      if (reason === undefined) return;
      expect(done.schedule?.status).to.equal('failed');
      expect(done.schedule?.reason).to.match(reason);
      const change = { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' };
      expect((await lead(id, change, admin)).body, 'scheduled by another').to.include({ state: 'Scheduled' });
    });
  }

  const pathOf = (id: number) => `${PROJECT}/change-requests/${id}`;
  const look = async (id: number) => (await api.get(pathOf(id))).body as Shown;
  const lead = (id: number, change: { state: string; scheduledAt?: string }, { token }: Person) =>
    stepAsRead(api, { path: pathOf(id), change, token });
  const featureOf = (name: string) => name.replaceAll(' ', '-');

  async function schedule(name: string, person: Person): Promise<number> {
    const feature = featureOf(name);
    await aFeature(api, feature, 'timed');
    const changes = [{ feature, action: 'updateEnabled', payload: { enabled: true } }];
    const { body } = await api.post(IN_PRODUCTION, { changes }, admin);
    const { id } = body as Shown;
    await lead(id, { state: 'In review' }, admin);
    await lead(id, { state: 'Approved' }, admin);
    const scheduled = await lead(id, { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' }, person);
    expect(scheduled.status, JSON.stringify(scheduled.body)).to.equal(200);
    return id;
  }

  async function isOn(name: string): Promise<boolean> {
    const { rowCount } = await world.db.query(
      'select from feature_environments where feature_name = $1 and enabled',
      [featureOf(name)],
    );
    return rowCount === 1;
  }
});
