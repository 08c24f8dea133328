import { expect } from 'chai';
import { type AdminWorld, aFeature, aUser, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import { untilHistoryLasts } from '../../../../support/builders/history.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  type NotifiedWorld,
  type Subscribed,
  createNotifiedWorld,
  opened,
  passTime,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';
import type { Receiver } from '../../../../support/servers/receivers/receiver.ts';

type Delivery = {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly problem: string | null;
};

const PATH = '/api/admin/notifications';

describe('notifications', () => {
  let world: NotifiedWorld<AdminWorld>;
  let receiver: Receiver;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld, { NOTIFICATIONS_PER_HOUR: '5' });
  });
  beforeEach(async () => {
    await world.db.query('delete from notification_subscriptions');
    receiver = await world.startReceiver();
  });

  let made = 0;
  async function features(count: number, members: object = {}): Promise<string[]> {
    const names: string[] = [];
    for (let left = count; left > 0; left -= 1) {
      made += 1;
      const name = `feature-${made}`;
      const answer = await world.api.post('/api/admin/projects/default/features', { name, ...members });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      names.push(name);
    }
    return names;
  }

  async function deliveries({ id }: Subscribed): Promise<Delivery[]> {
    return ((await world.api.get(`${PATH}/${id}/deliveries`)).body as { deliveries: Delivery[] }).deliveries;
  }

  const created = { causes: ['event'], eventTypes: ['feature-created'] };

  it('tell a webhook of an event, signed, with the sentence and a link', async () => {
    const subscribed = await subscribe(world.api, receiver.url, created);
    const [name] = await features(1);
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    const { type, data } = opened(message, subscribed);
    expect(type).to.equal('event');
    expect(data).to.deep.include({
      sentence: `Feature created: ${name ?? ''} of project default, by initial admin.`,
      link: `https://flags.example.org/#/features/${name ?? ''}`,
      featureName: name,
      project: 'default',
    });
    expect(message.headers['content-type']).to.equal('application/json');
    const [delivery] = await eventually(
      () => deliveries(subscribed),
      ([one]) => one?.state === 'delivered',
    );
    expect(delivery).to.deep.include({ attempts: 1, problem: null, id: message.headers['webhook-id'] });
  });

  it('tell Slack in blocks, without a signature', async () => {
    await subscribe(world.api, receiver.url, { ...created, channel: 'slack' });
    const [name] = await features(1);
    const [message] = await untilReceived(receiver, 1);
    expect(message?.headers).to.not.have.property('webhook-signature');
    expect(JSON.parse(message?.body ?? '')).to.have.nested.property(
      'blocks[0].text.text',
      `Feature created: ${name ?? ''} of project default, by initial admin. <https://flags.example.org/#/features/${name ?? ''}|Open>`,
    );
  });

  it('tell only what was subscribed: the cause, the project, the owner, the tag', async () => {
    const others = await Promise.all(
      [
        { project: 'other' },
        { owner: 'nobody' },
        { tag: 'team:none' },
        { eventTypes: ['feature-archived'] },
      ].map((members) => subscribe(world.api, receiver.url, { ...created, ...members })),
    );
    const subscribed = await subscribe(world.api, receiver.url, {
      ...created,
      project: 'default',
      owner: 'team-a',
      tag: 'team:x',
    });
    await features(1, { owner: 'team-b', tags: ['team:x'] });
    const [wanted] = await features(1, { owner: 'team-a', tags: ['team:x', 'area:y'] });
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed).data).to.deep.include({ featureName: wanted });
    for (const other of [...others]) expect(await deliveries(other)).to.deep.equal([]);
    expect(await deliveries(subscribed)).to.have.length(1);
  });

  it('tell that a change request waits for approval, and nothing of drafts', async () => {
    const [name = ''] = await features(1);
    await world.api.put('/api/admin/projects/default/environments/production/change-requests/config', {
      changeRequestsEnabled: true,
      requiredApprovals: 1,
    });
    const subscribed = await subscribe(world.api, receiver.url, {
      causes: ['change-request-waiting', 'event'],
    });
    const editor = await aUser(world.api, 'Editor', 'eve');
    const path = '/api/admin/projects/default/environments/production/change-requests';
    const draft = await world.api.post(
      path,
      { changes: [{ feature: name, action: 'updateEnabled', payload: { enabled: true } }] },
      { token: editor.token },
    );
    expect(draft.status, JSON.stringify(draft.body)).to.be.within(200, 201);
    const { id } = draft.body as { id: number };
    await world.api.put(
      `/api/admin/projects/default/change-requests/${id}/state`,
      { state: 'In review' },
      { token: editor.token, headers: { 'if-match': draft.headers.get('etag') ?? '' } },
    );
    const messages = await eventually(
      () => Promise.resolve(receiver.received.map((one) => opened(one, subscribed))),
      (all) => all.some(({ type }) => type === 'change-request.waiting'),
    );
    const ofRequest = messages.filter(({ data }) => data['changeRequestId'] === String(id));
    expect(ofRequest.map(({ type }) => type)).to.deep.equal(['change-request.waiting']);
    expect(ofRequest[0]?.data.sentence).to.equal(
      `Change request ${id} in production of project default of eve waits for approval.`,
    );
  });

  it('get one message for each cause, and above the bound of an hour one summary', async () => {
    await untilHistoryLasts(); // all of them in one hour
    const subscribed = await subscribe(world.api, receiver.url, created);
    const names = await features(12);
    await untilReceived(receiver, 5);
    await eventually(
      () => deliveries(subscribed),
      (all) => all.length === 12 && all.filter(({ state }) => state === 'delivered').length === 5,
    );
    const { body: cut } = await world.api.get(`${PATH}/${subscribed.id}/deliveries?limit=3`);
    expect(cut).to.have.property('total', 12);
    expect(cut).to.have.property('deliveries').with.length(3);
    await passTime(world.db, '1 hour');
    const messages = (await untilReceived(receiver, 6)).map((one) => opened(one, subscribed));
    expect(messages.slice(0, 5).map(({ data }) => data['featureName'])).to.deep.equal(names.slice(0, 5));
    const summary = messages[5];
    expect(summary).to.deep.include({ type: 'summary' });
    expect(summary?.data).to.deep.include({ count: 7, counts: { event: 7 } });
    expect(summary?.data['items']).to.have.length(7);
    expect(new Set(messages.map(({ id }) => id))).to.have.property('size', 6);
  });

  it('are summed up by a digest at its hour, and not before', async () => {
    const digest = { ...created, schedule: 'daily', hour: (new Date().getUTCHours() + 23) % 24 };
    const subscribed = await subscribe(world.api, receiver.url, digest);
    await features(3);
    await eventually(
      () => deliveries(subscribed),
      (all) => all.filter(({ state }) => state === 'held').length === 3,
    );
    await passTime(world.db, '21 hours');
    await world.api.get(`${PATH}/${subscribed.id}`);
    expect((await deliveries(subscribed)).every(({ state }) => state === 'held')).to.equal(true);
    await passTime(world.db, '3 hours');
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed)).to.deep.include({ type: 'summary' });
    const states = (await deliveries(subscribed)).map(({ state }) => state);
    expect(states.filter((state) => state === 'gathered')).to.have.length(3);
  });

  it('wait while a subscription is disabled', async () => {
    const subscribed = await subscribe(world.api, receiver.url, { ...created, enabled: false });
    await features(1);
    await world.api.put(`${PATH}/${subscribed.id}`, { enabled: true });
    const [name] = await features(1);
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed).data).to.deep.include({ featureName: name });
  });

  it('can be tried', async () => {
    const subscribed = await subscribe(world.api, receiver.url, created);
    const answer = await world.api.post(`${PATH}/${subscribed.id}/test`);
    expect(answer.status).to.equal(201);
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed)).to.deep.include({ type: 'test', id: (answer.body as Delivery).id });
  });

  it('leave nothing in the outbox while nobody listens', async () => {
    const written = async (): Promise<unknown> =>
      (await world.db.query(`select last_value from notification_causes_id_seq`)).rows;
    const before = await written();
    await aFeature(world.api, 'unheard');
    expect(await written()).to.deep.equal(before);
  });
});
