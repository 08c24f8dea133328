import { expect } from 'chai';
import { gatherHeld } from '../../../../../services/admin/advice/notifications/store/gather.ts';
import { type AdminWorld, aFeature, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';

const ON_CREATED = { causes: ['event'], eventTypes: ['feature-created'] };
const PER_HOUR = 5;

/** By a clock that was a day ahead when they were written, and was set right. */
describe('notifications with times of tomorrow', () => {
  let world: NotifiedWorld<AdminWorld>;
  let features = 0;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld, { NOTIFICATIONS_PER_HOUR: String(PER_HOUR) });
  });
  beforeEach(() => world.db.query('delete from notification_subscriptions'));

  const create = async (): Promise<void> => {
    features += 1;
    await aFeature(world.api, `feature-${features}`);
  };

  it('are sent now, and their day begins now', async () => {
    const receiver = await world.startReceiver();
    receiver.answer((response) => response.writeHead(500).end());
    const { id } = await subscribe(world.api, receiver.url, ON_CREATED);
    await create();
    await untilReceived(receiver, 1);
    await eventually(
      () => problems(id),
      ([problem]) => problem !== null,
    );
    await world.db.query(
      `update notification_deliveries
       set due_at = due_at + interval '1 day', queued_at = queued_at + interval '1 day', attempted_at = attempted_at + interval '1 day'
       where subscription_id = $1`,
      [id],
    );
    // On a busy machine the message may be on its way again. Then that attempt fails too.
    receiver.answer((response) => response.writeHead(200).end());
    await untilReceived(receiver, 2);
    const ahead = await eventually(
      () =>
        world.db.query(
          `select queued_at > now() as ahead from notification_deliveries where subscription_id = $1 and state = 'delivered'`,
          [id],
        ),
      ({ rowCount }) => rowCount === 1,
    );
    expect(ahead.rows).to.deep.equal([{ ahead: false }]);
  });

  it('take no room of this hour, and are summed up now', async () => {
    const receiver = await world.startReceiver();
    const { id } = await subscribe(world.api, receiver.url, ON_CREATED);
    for (let count = 0; count < PER_HOUR + 1; count += 1) await create();
    await untilReceived(receiver, PER_HOUR);
    await eventually(
      () =>
        world.db.query(`select from notification_deliveries where subscription_id = $1 and state = 'held'`, [
          id,
        ]),
      ({ rowCount }) => rowCount === 1,
    );
    await world.db.query(
      `update notification_deliveries
       set due_at = due_at + interval '1 day', queued_at = queued_at + interval '1 day'
       where subscription_id = $1`,
      [id],
    );
    await create();
    await untilReceived(receiver, PER_HOUR + 1);
    await gatherHeld(world.db);
    await untilReceived(receiver, PER_HOUR + 2);
  });

  it('begin at once for a subscription that was made then', async () => {
    const receiver = await world.startReceiver();
    const { id } = await subscribe(world.api, receiver.url, ON_CREATED);
    await world.db.query(
      `update notification_subscriptions set created_at = created_at + interval '1 day' where id = $1`,
      [id],
    );
    await create();
    await untilReceived(receiver, 1);
  });

  async function problems(id: number): Promise<(string | null)[]> {
    const { rows } = await world.db.query<{ problem: string | null }>(
      'select problem from notification_deliveries where subscription_id = $1',
      [id],
    );
    return rows.map(({ problem }) => problem);
  }
});
