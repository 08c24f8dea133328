import { expect } from 'chai';
import { type AdminWorld, aFeature, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  passTime,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';
import type { Receiver } from '../../../../support/servers/receivers/receiver.ts';

type Delivery = { readonly state: string; readonly attempts: number; readonly problem: string | null };

const PATH = '/api/admin/notifications';
/** An answer is awaited for so long. */
const ANSWER_MS = 10_000;
const SILENT = 8;
const created = { causes: ['event'], eventTypes: ['feature-created'] };

describe('notifications that are not accepted', () => {
  let world: NotifiedWorld<AdminWorld>;
  let receiver: Receiver;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld);
  });
  beforeEach(async () => {
    await world.db.query('delete from notification_subscriptions');
    receiver = await world.startReceiver();
  });

  async function deliveries({ id }: { readonly id: number }): Promise<Delivery[]> {
    return ((await world.api.get(`${PATH}/${id}/deliveries`)).body as { deliveries: Delivery[] }).deliveries;
  }

  it('are tried again with growing pauses for a day, and are then visible as failed', async () => {
    receiver.answer((response) => response.writeHead(500).end());
    const subscribed = await subscribe(world.api, receiver.url, created);
    await aFeature(world.api, 'retried');
    await untilReceived(receiver, 1);
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 4; attempts += 1) {
      await eventually(
        () => deliveries(subscribed),
        ([one]) => one?.attempts === attempts && one.problem !== null,
      );
      await eventually(
        async () => {
          const { rows } = await world.db.query<{ pause: number }>(
            'select extract(epoch from due_at - attempted_at)::float8 as pause from notification_deliveries where subscription_id = $1',
            [subscribed.id],
          );
          return rows[0]?.pause ?? 0;
        },
        (pause) => {
          const isRecorded = Math.abs(pause - 10 * 2 ** (attempts - 1)) < 5;
          if (isRecorded) pauses.push(Math.round(pause / 10) * 10);
          return isRecorded;
        },
      );
      await passTime(world.db, '2 minutes');
    }
    expect(pauses).to.deep.equal([10, 20, 40, 80]);
    await passTime(world.db, '25 hours');
    const [failed] = await eventually(
      () => deliveries(subscribed),
      ([one]) => one?.state === 'failed',
    );
    expect(failed?.problem).to.equal('The receiver answered 500.');
    const { body } = await world.api.get(`${PATH}/${subscribed.id}`);
    expect(body).to.deep.include({ failed: 1, pending: 0, problem: 'The receiver answered 500.' });
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).to.have.property(
      'size',
      1,
    );
  });

  it('to receivers that do not answer delay no other receiver', async () => {
    const other = await world.startReceiver();
    const startedAt = performance.now();
    receiver.answer(() => undefined);
    for (let silent = 0; silent < SILENT; silent += 1) await subscribe(world.api, receiver.url, created);
    const subscribed = await subscribe(world.api, other.url, created);
    await aFeature(world.api, 'unanswered');
    await untilReceived(receiver, SILENT);
    for (const name of ['one', 'two', 'three']) await aFeature(world.api, name);
    // One after the other, the silent ones would take longer than it waits.
    const messages = await untilReceived(other, 4);
    expect(messages.map((one) => opened(one, subscribed).type)).to.deep.equal([
      'event',
      'event',
      'event',
      'event',
    ]);
    const times = 1 + Math.floor((performance.now() - startedAt) / ANSWER_MS);
    expect(receiver.received.length).to.be.within(SILENT, SILENT * times);
  });
});
