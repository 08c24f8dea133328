import { expect } from 'chai';
import { type AdminWorld, aFeature, aUser, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';
import type { Receiver } from '../../../../support/servers/receivers/receiver.ts';

const PATH = '/api/admin/notifications';
const created = { causes: ['event'], eventTypes: ['feature-created'] };

describe('subscriptions of notifications', () => {
  let world: NotifiedWorld<AdminWorld>;
  let receiver: Receiver;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld);
  });
  beforeEach(async () => {
    await world.db.query('delete from notification_subscriptions');
    receiver = await world.startReceiver();
  });
  after(() => world.dispose());

  it('show their secret once, and store neither it nor the address', async () => {
    const { id, secret } = await subscribe(world.api, `${receiver.url}?key=s3cret`, created);
    expect(secret).to.match(/^whsec_/);
    const shown = JSON.stringify([
      (await world.api.get(PATH)).body,
      (await world.api.get(`${PATH}/${id}`)).body,
      (await world.api.get('/api/admin/events')).body,
      (await world.db.query('select * from notification_subscriptions')).rows,
    ]);
    expect(shown).to.include(`127.0.0.1:${receiver.port}`);
    expect(shown).to.not.include(secret.slice('whsec_'.length));
    expect(shown).to.not.include('s3cret');
  });

  it('can be changed, each change with its event, and keep their secret', async () => {
    const subscribed = await subscribe(world.api, 'https://hooks.example.org/', created);
    const changed = await world.api.put(`${PATH}/${subscribed.id}`, { name: 'other', url: receiver.url });
    expect(changed.status).to.equal(200);
    expect(changed.body).to.deep.include({ name: 'other', host: `127.0.0.1:${receiver.port}` });
    await aFeature(world.api, 'told');
    const [message] = await untilReceived(receiver, 1);
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed).type).to.equal('event');
    expect((await world.api.delete(`${PATH}/${subscribed.id}`)).status).to.equal(200);
    const { rows } = await world.db.query<{ type: string }>(
      `select type from events where type like 'notification-%' order by id desc limit 3`,
    );
    expect(rows.map(({ type }) => type)).to.deep.equal([
      'notification-deleted',
      'notification-updated',
      'notification-created',
    ]);
  });

  it('never lead into a private network', async () => {
    for (const url of [
      'https://10.0.0.1/',
      'https://169.254.169.254/',
      'http://hooks.example.org/',
      'nonsense',
    ]) {
      const body = { name: 'x', channel: 'webhook', url, ...created };
      expect((await world.api.post(PATH, body)).status, url).to.equal(400);
    }
    const { id } = await subscribe(world.api, receiver.url, created);
    expect((await world.api.put(`${PATH}/${id}`, { url: 'https://[fd00::1]/' })).status).to.equal(400);
  });

  it('are for Admins only, and at most 100', async () => {
    const editor = await aUser(world.api, 'Editor', 'ed');
    expect((await world.api.get(PATH, { token: editor.token })).status).to.equal(403);
    const { id } = await subscribe(world.api, receiver.url, created);
    await world.db.query(
      `insert into notification_subscriptions (name, channel, host, sealed_url, sealed_secret, seal_id, causes, created_by)
       select name, channel, host, sealed_url, sealed_secret, seal_id, causes, created_by
       from notification_subscriptions, generate_series(1, 99)
       where id = $1`,
      [id],
    );
    const body = { name: 'x', channel: 'webhook', url: receiver.url, ...created };
    expect((await world.api.post(PATH, body)).status).to.equal(400);
  });
});

describe('subscriptions without a key', () => {
  it('are refused with the setting that is missing', async () => {
    const world = await createAdminWorld();
    const body = { name: 'x', channel: 'webhook', url: 'https://hooks.example.org/', causes: ['event'] };
    const answer = await world.api.post(PATH, body);
    expect(answer.status).to.equal(503);
    expect((answer.body as { message: string }).message).to.include('SECRETS_KEY');
    expect((await world.api.get(PATH)).body).to.deep.equal({ isReady: false, subscriptions: [] });
    await world.dispose();
  });
});
