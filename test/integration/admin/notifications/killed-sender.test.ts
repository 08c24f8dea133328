import { expect } from 'chai';
import { type Api, aFeature, openApi } from '../../../support/admin.ts';
import { eventually } from '../../../support/eventually.ts';
import type { ServiceProcess } from '../../../support/processes/process.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  passTime,
  subscribe,
  untilReceived,
} from '../../../support/receivers/notified-world.ts';
import { createWorld } from '../../../support/world.ts';

describe('a notification', () => {
  let world: NotifiedWorld;
  before(async () => {
    world = await createNotifiedWorld(createWorld);
  });
  after(() => world.dispose());

  const created = { causes: ['event'], eventTypes: ['feature-created'] };

  async function start(): Promise<{ admin: ServiceProcess; api: Api }> {
    const admin = await world.fork('admin');
    return { admin, api: await openApi(admin.url) };
  }

  type Waiting = { attempts: number; state: string; problem: string | null };
  async function waiting(): Promise<Waiting | undefined> {
    const { rows } = await world.db.query<Waiting>(
      'select attempts, state, problem from notification_deliveries order by created_at desc limit 1',
    );
    return rows[0];
  }

  it('arrives after the receiver was dead for an hour and the sender was killed twice, with one id', async () => {
    const first = await world.startReceiver();
    const { port } = first;
    let { admin, api } = await start();
    const subscribed = await subscribe(api, first.url, created);
    await first.close();
    await aFeature(api, 'told-late');

    // Half of the hour: the receiver is dead, and each attempt fails.
    for (let tries = 1; tries <= 3; tries += 1) {
      await eventually(waiting, (one) => one?.attempts === tries && one.problem !== null);
      await passTime(world.db, '10 minutes');
    }
    await admin.kill();

    // The sender is killed while the receiver has the message and does not answer.
    let hanging = await world.startReceiver(port);
    hanging.answer(() => undefined);
    ({ admin, api } = await start());
    await passTime(world.db, '15 minutes');
    const [before] = await untilReceived(hanging, 1);
    await admin.kill();
    await hanging.close();
    expect(await waiting()).to.deep.include({ state: 'pending' });

    hanging = await world.startReceiver(port);
    ({ admin, api } = await start());
    await passTime(world.db, '15 minutes');
    const messages = await untilReceived(hanging, 1);
    await eventually(waiting, (one) => one?.state === 'delivered');
    expect(messages).to.have.length(1);
    const [message] = messages;
    if (before === undefined || message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed)).to.deep.equal(opened(before, subscribed));
    expect(opened(message, subscribed).data).to.deep.include({ featureName: 'told-late' });
    const { rows } = await world.db.query('select from notification_deliveries');
    expect(rows).to.have.length(1);
    await admin.stop();
  });

  it('is sent by one of several processes, and by the next when that one is killed', async () => {
    const receiver = await world.startReceiver();
    const [one, other] = await Promise.all([start(), start()]);
    const subscribed = await subscribe(one.api, receiver.url, created);
    await aFeature(one.api, 'told-once');
    await untilReceived(receiver, 1);
    const { rows } = await world.db.query<{ count: number }>(
      `select count(*)::integer as count from pg_stat_activity
       where datname = current_database() and application_name = 'flagmeter notifications' and state = 'idle'
         and query like '%pg_try_advisory_lock%'`,
    );
    expect(rows[0]?.count).to.equal(1);
    // Either of them may be the one that sends.
    await one.admin.kill();
    await aFeature(other.api, 'told-by-another');
    const messages = await untilReceived(receiver, 2);
    expect(messages.map((message) => opened(message, subscribed).data['featureName'])).to.deep.equal([
      'told-once',
      'told-by-another',
    ]);
    await other.admin.stop();
  });
});
