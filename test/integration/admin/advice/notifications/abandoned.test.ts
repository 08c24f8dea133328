import { expect } from 'chai';
import { type AdminWorld, aFeature, aUser, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import { revokePersonalTokens } from '../../../../support/admin-api/personal-tokens.ts';
import { eventually } from '../../../../support/eventually.ts';
import { someByDay } from '../../../../support/nightly.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';

const PATH = '/api/admin/notifications';
const OF_FEATURES = { causes: ['event'], eventTypes: ['feature-created'] };

type Person = { readonly id: number; readonly token: string; readonly tokenId?: string };
type Loss = {
  readonly isAbandoned: boolean;
  readonly make: (name: string) => Promise<Person>;
  readonly loses: (person: Person) => Promise<unknown>;
};

describe('a subscription of somebody', () => {
  let world: NotifiedWorld<AdminWorld>;
  let other: string;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld);
    other = (await aUser(world.api, 'Admin', 'other')).token;
  });

  const admin = (name: string): Promise<Person> => aUser(world.api, 'Admin', name);
  const pipeline = async (tokenName: string): Promise<Person> => {
    const { body } = await world.api.post('/api/admin/api-tokens', { tokenName, type: 'admin' });
    const { id, secret } = body as { id: string; secret: string };
    return { id: -42, token: secret, tokenId: id };
  };
  const become =
    (rootRole: string) =>
    ({ id }: Person) =>
      world.api.put(`/api/admin/user-admin/${id}`, { rootRole });
  const nothing = () => Promise.resolve();

  const LOSSES: Readonly<Record<string, Loss>> = {
    'stays an Admin': { make: admin, loses: nothing, isAbandoned: false },
    'becomes an Editor': { make: admin, loses: become('Editor'), isAbandoned: true },
    'becomes nobody': { make: admin, loses: become('None'), isAbandoned: true },
    'is deleted': {
      make: admin,
      loses: ({ id }) => world.api.delete(`/api/admin/user-admin/${id}`),
      isAbandoned: true,
    },
    'has used a personal token that is revoked': {
      make: admin,
      loses: (person) => revokePersonalTokens(world.api, person),
      isAbandoned: true,
    },
    'is an ADMIN token that goes on': { make: pipeline, loses: nothing, isAbandoned: false },
    'is an ADMIN token that is revoked': {
      make: pipeline,
      loses: ({ tokenId = '' }) => world.api.delete(`/api/admin/api-tokens/${tokenId}`),
      isAbandoned: true,
    },
    'is an ADMIN token that expires': {
      make: pipeline,
      loses: ({ tokenId }) =>
        world.db.query('update api_tokens set expires_at = now() where id = $1', [tokenId]),
      isAbandoned: true,
    },
    'is an ADMIN token that nobody knows any more': {
      make: pipeline,
      loses: ({ tokenId }) =>
        world.db.query(
          'update notification_subscriptions set edited_by_token = null where edited_by_token = $1',
          [tokenId],
        ),
      isAbandoned: true,
    },
    'is an ADMIN token that got limits': {
      make: pipeline,
      loses: ({ tokenId }) =>
        world.db.query(`update api_tokens set projects = '{default}' where id = $1`, [tokenId]),
      isAbandoned: true,
    },
  };

  const losses = someByDay(Object.entries(LOSSES), 1 / 3, ([, { isAbandoned }]) => isAbandoned);
  for (const [name, { make, loses, isAbandoned }] of losses)
    it(`who ${name} ${isAbandoned ? 'is paused, with an event, until another Admin resumes it' : 'goes on'}`, async () => {
      const person = await make(name);
      const receiver = await world.startReceiver();
      const api = { ...world.api, post: (path: string, body: unknown) => world.api.post(path, body, person) };
      const subscribed = await subscribe(api, receiver.url, OF_FEATURES);
      await loses(person);
      if (isAbandoned) {
        await eventually(
          () => stateOf(subscribed.id),
          ({ enabled }) => !enabled,
        );
        const { rows } = await world.db.query<{ created_by: string; reason: string }>(
          `select created_by, data ->> 'reason' as reason
           from events
           where type = 'notification-updated' and (data ->> 'id')::integer = $1`,
          [subscribed.id],
        );
        expect(rows).to.have.length(1);
        expect(rows[0]?.created_by).to.equal('system');
        expect(rows[0]?.reason).to.match(/is no Admin any more/);
        await aFeature(world.api, `unheard-${subscribed.id}`);
        const resumed = await world.api.put(`${PATH}/${subscribed.id}`, { enabled: true }, { token: other });
        expect(resumed.body).to.include({ enabled: true });
      }
      await aFeature(world.api, `heard-${subscribed.id}`);
      const received = await untilReceived(receiver, 1);
      const names = received.map((one) => opened(one, subscribed).data['featureName']);
      expect(names).to.deep.equal([`heard-${subscribed.id}`]);
      expect(await stateOf(subscribed.id)).to.include({ enabled: true });
      await world.api.delete(`${PATH}/${subscribed.id}`);
    });

  async function stateOf(id: number): Promise<{ enabled: boolean }> {
    return (await world.api.get(`${PATH}/${id}`)).body as { enabled: boolean };
  }
});
