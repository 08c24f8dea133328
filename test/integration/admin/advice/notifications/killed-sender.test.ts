import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, aFeature, openApi } from '../../../../support/admin-api/admin.ts';
import type { ServiceProcess } from '../../../../support/stack/processes/process.ts';
import { surviveDeadHour } from '../../../../support/servers/receivers/dead-receiver.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';
import { createWorldWithoutTopics } from '../../../../support/uncounted-world.ts';

describe('a notification', () => {
  let world: NotifiedWorld;
  before(async () => {
    world = await createNotifiedWorld(createWorldWithoutTopics);
  });

  const created = { causes: ['event'], eventTypes: ['feature-created'] };

  async function start(): Promise<{ admin: ServiceProcess; api: Api }> {
    const admin = await world.fork('admin');
    return { admin, api: await openApi(admin.url) };
  }

  it('arrives after the receiver was dead for an hour and the sender was killed twice, with one id', async () => {
    const dead = await world.startReceiver();
    const { admin, api } = await start();
    const subscribed = await subscribe(api, dead.url, created);
    await dead.close();
    await aFeature(api, 'told-late');
    const { sender, unanswered, accepted } = await surviveDeadHour(world, { port: dead.port, sender: admin });
    expect(accepted).to.have.length(1);
    const [message] = accepted.map((one) => opened(one, subscribed));
    expect(message).to.deep.equal(opened(unanswered, subscribed));
    expect(message?.data).to.deep.include({ featureName: 'told-late' });
    const { rows } = await world.db.query('select from notification_deliveries');
    expect(rows).to.have.length(1);
    await sender.stop();
  });

  it('is sent by one of several processes, and by the next when that one is killed', async () => {
    const receiver = await world.startReceiver();
    const [one, other] = await Promise.all([start(), world.run(startAdmin)]);
    const api = await openApi(other.url);
    const subscribed = await subscribe(one.api, receiver.url, created);
    await aFeature(one.api, 'told-once');
    await untilReceived(receiver, 1);
    const { rows } = await world.db.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and application_name = 'flagmeter notifications' and state = 'idle in transaction'
         and query like '%pg_try_advisory_xact_lock%'`,
    );
    expect(rows[0]?.count).to.equal(1);
    // Either of them may be the one that sends.
    await one.admin.kill();
    await aFeature(api, 'told-by-another');
    const messages = await untilReceived(receiver, 2);
    expect(messages.map((message) => opened(message, subscribed).data['featureName'])).to.deep.equal([
      'told-once',
      'told-by-another',
    ]);
  });
});
