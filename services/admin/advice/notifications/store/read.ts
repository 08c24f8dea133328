import { WITHOUT_ADDRESS } from '../../webhooks/index.ts';
import type { Postgres } from '#base/postgres';
import { type Denial, notFound } from '../../../denial.ts';
import type { Subscription } from '../schema.ts';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow, toDescribed } from './rows.ts';

type Row = SubscriptionRow & {
  pending: number;
  failed: number;
  delivered_at: Date | null;
  last_problem: string | null;
};

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
       ${SUBSCRIPTION_COLUMNS},
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
       s.delivered_at,
       last.problem as last_problem
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
    ...toDescribed(row),
    pending: row.pending,
    failed: row.failed,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    problem: row.lacks_address ? WITHOUT_ADDRESS : row.last_problem,
  }));
}
