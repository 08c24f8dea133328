import { say } from '#base/words';
import { type Postgres, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordDone } from '../../../record/audit/store/record-entry.ts';
import type { Deliveries, Delivery } from '../schema.ts';
import { noSuchSubscription } from './read.ts';
import { SELECT_DELIVERY } from './rows.ts';

/** Queues a message that says only that messages arrive. */
export function queueTest(db: Postgres, id: number, caller: Caller): Promise<Delivery> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Delivery>(
      `insert into notification_deliveries as d (subscription_id, type, data, state)
       select id, 'test', $2, 'pending'
       from notification_subscriptions
       where id = $1
       returning ${SELECT_DELIVERY}`,
      [id, JSON.stringify(testData(caller.name))],
    );
    const [queued] = rows;
    if (queued === undefined) throw noSuchSubscription();
    recordDone(client, caller, { event: 'notification-tested' });
    return queued;
  });
}

/** The content of a test message. */
export function testData(name: string) {
  return { sentence: say`Messages of flagmeter arrive here. ${name} has tried it.`, page: 'notifications' };
}

/** The newest first. */
export async function listDeliveries(db: Postgres, id: number, limit: number): Promise<Deliveries> {
  const { rows } = await db.query<(Delivery | { id: null }) & { total: number }>(
    `select ${SELECT_DELIVERY}, (count(d.id) over ())::int as total
     from notification_subscriptions as s
     left join notification_deliveries as d on d.subscription_id = s.id
     where s.id = $1
     order by d.created_at desc, d.id
     limit $2`,
    [id, limit],
  );
  if (rows.length === 0) throw noSuchSubscription();
  // A subscription without messages is one row of nulls.
  const deliveries = rows.flatMap(({ total: _, ...row }) => (row.id === null ? [] : row));
  return { total: rows[0]?.total ?? 0, deliveries };
}
