import { WITHOUT_ADDRESS } from '../../webhooks/index.ts';
import { type Postgres, isoTime, onlyMembers } from '#base/postgres';
import { type Denial, notFound } from '../../../denial.ts';
import { type Subscription, subscriptionSchema } from '../schema.ts';
import { SELECT_SUBSCRIPTION, type SubscriptionRow } from './rows.ts';

type Row = SubscriptionRow & Subscription;

export function noSuchSubscription(): Denial {
  return notFound('There is no such subscription.');
}

export async function readSubscription(db: Postgres, id: number): Promise<Subscription> {
  const [subscription] = await readSubscriptions(db, id);
  if (subscription === undefined) throw noSuchSubscription();
  return subscription;
}

/** The subscription with an id, or all of them, each with what became of its messages. */
export async function readSubscriptions(db: Postgres, id: number | undefined): Promise<Subscription[]> {
  const { rows } = await db.query<Row>(
    `select
       ${SELECT_SUBSCRIPTION},
       (
         select count(*)::integer
         from notification_deliveries
         where subscription_id = s.id and state = 'pending'
       ) + (
         select count(*)::integer
         from notification_deliveries
         where subscription_id = s.id and state = 'held'
       ) as pending,
       (
         select count(*)::integer
         from notification_deliveries
         where subscription_id = s.id and state = 'failed'
       ) as failed,
       ${isoTime('s.delivered_at')} as "deliveredAt",
       last.problem
     from notification_subscriptions as s
     left join lateral (
       select problem
       from notification_deliveries
       where subscription_id = s.id and attempted_at is not null
       order by attempted_at desc
       limit 1
     ) as last on true
     where $1::integer is null or s.id = $1
     order by s.id`,
    [id],
  );
  return rows.map((row) => ({
    ...onlyMembers(subscriptionSchema, row),
    ...(row.lacksAddress ? { problem: WITHOUT_ADDRESS } : {}),
  }));
}
