import type { Message, MessageData, Receiver } from '../../webhooks/index.ts';
import type { Postgres } from '#base/postgres';
import { GIVE_UP_AFTER_MS, LONGEST_WAIT_MS, pauseAfter } from '../rules.ts';

export type Due = {
  readonly subscriptionId: number;
  readonly message: Message;
  readonly receiver: Receiver;
  readonly attempts: number;
};

type Row = {
  id: string;
  subscription_id: number;
  type: string;
  created_at: Date;
  data: MessageData;
  attempts: number;
  channel: Receiver['channel'];
  seal_id: string;
  sealed_url: string;
  sealed_secret: string;
};

/**
 * Takes the message of each subscription that is due first, except of those in `busy`. Each is due again later, whatever happens to
 * this process: one that is killed leaves nothing locked.
 */
export async function takeDue(db: Postgres, busy: readonly number[]): Promise<Due[]> {
  const { rows } = await db.query<Row>(
    `with next as (
       select d.id, d.attempts
       from notification_subscriptions as s
       cross join lateral (
         select id, attempts
         from notification_deliveries
         where subscription_id = s.id
           and state = 'pending'
           and (due_at <= now() or due_at > now() + $2 * interval '1 ms')
         order by due_at, cause_id
         limit 1
       ) as d
       where s.enabled
         and s.id <> all ($1::integer[])
     )
     update notification_deliveries as d
     set attempts = d.attempts + 1, attempted_at = now(), due_at = now() + interval '30 seconds'
     from next, notification_subscriptions as s
     where d.id = next.id
       and d.attempts = next.attempts
       and s.id = d.subscription_id
     returning d.id, d.subscription_id, d.type, d.created_at, d.data, d.attempts, s.channel, s.seal_id, s.sealed_url, s.sealed_secret`,
    [busy, LONGEST_WAIT_MS],
  );
  return rows.map(({ id, type, created_at: at, data, ...row }) => ({
    subscriptionId: row.subscription_id,
    attempts: row.attempts,
    message: { id, type, at, data },
    receiver: {
      channel: row.channel,
      sealId: row.seal_id,
      sealedUrl: row.sealed_url,
      sealedSecret: row.sealed_secret,
    },
  }));
}

/**
 * Records how an attempt ended: delivered, tried again after a pause, or given up after a day. The day begins now if it began in the future.
 * Locks the subscription first, as its deletion does, so that neither waits for the other.
 */
export async function recordAttempt(
  db: Postgres,
  { subscriptionId, message: { id }, attempts }: Due,
  problem: string | undefined,
): Promise<void> {
  await db.query(
    `with subscription as (
       select id
       from notification_subscriptions
       where id = $5
       for no key update
     ),
     recorded as (
       update notification_deliveries as d
       set
         state = case
           when $2::text is null then 'delivered'
           when queued_at <= now() - $4 * interval '1 ms' then 'failed'
           else 'pending'
         end,
         delivered_at = case when $2::text is null then now() end,
         problem = $2,
         due_at = now() + $3 * interval '1 ms',
         queued_at = least(queued_at, now())
       from subscription
       where d.id = $1
         and d.subscription_id = subscription.id
         and state = 'pending'
       returning d.subscription_id, d.delivered_at
     )
     update notification_subscriptions as s
     set delivered_at = recorded.delivered_at
     from recorded
     where s.id = recorded.subscription_id
       and recorded.delivered_at is not null`,
    [id, problem, pauseAfter(attempts), GIVE_UP_AFTER_MS, subscriptionId],
  );
}

const KEPT = "interval '30 days'";

/** Forgets what is done, and verdicts that ended long ago and that nobody has acknowledged. */
export async function prune(db: Postgres): Promise<void> {
  await db.query(
    `delete from notification_deliveries
     where created_at < now() - ${KEPT}
       and state in ('gathered', 'delivered', 'failed')`,
  );
  await db.query(
    `delete from verdicts
     where ended_at < now() - interval '400 days'
       and acknowledged_at is null`,
  );
}
