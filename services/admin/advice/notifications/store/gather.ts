import { randomUUID } from 'node:crypto';
import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { amountOf } from '#base/runtime';

/** Sentences in a summary. The others are only counted. */
const MAX_ITEMS = 50;

/** Also a summary that is further away than its schedule allows: a clock was ahead, or the schedule was changed to a shorter one. */
function isDue(dueAt: string, schedule: string): string {
  return `(
    ${dueAt} <= now()
    or ${dueAt} > now() + case ${schedule} when 'weekly' then interval '7 days' when 'daily' then interval '1 day' else interval '1 hour' end
  )`;
}

/** Sums up the held messages of each subscription whose time has come, in one message, which is sent like any other. */
export async function gatherHeld(db: Postgres): Promise<void> {
  const { rows } = await db.query<{ subscription_id: number }>(
    `select distinct d.subscription_id
     from notification_deliveries as d
     join notification_subscriptions as s on s.id = d.subscription_id
     where d.state = 'held'
       and ${isDue('d.due_at', 's.schedule')}
       and s.enabled`,
  );
  for (const { subscription_id: id } of rows) await inTransaction(db, (client) => gather(client, id));
}

type Summary = {
  count: number;
  counts: Record<string, number>;
  items: { sentence: string; page: string }[];
};

async function gather(client: PostgresClient, subscriptionId: number): Promise<void> {
  const id = randomUUID();
  // First, as its deletion does, so that neither waits for the other. The new message needs this lock too.
  await client.query('select from notification_subscriptions where id = $1 for key share', [subscriptionId]);
  const { rows } = await client.query<Summary>(
    `with gathered as (
       update notification_deliveries as d
       set state = 'gathered', gathered_in = $2
       from notification_subscriptions as s
       where d.subscription_id = $1
         and d.state = 'held'
         and s.id = d.subscription_id
         and ${isDue('d.due_at', 's.schedule')}
       returning d.type, d.cause_id, d.data ->> 'sentence' as sentence, d.data ->> 'page' as page
     ),
     counted as (select type, count(*) as count from gathered group by type),
     shown as (select sentence, page from gathered order by cause_id desc limit ${MAX_ITEMS})
     select
       (select count(*)::integer from gathered) as count,
       (select jsonb_object_agg(type, count) from counted) as counts,
       (select jsonb_agg(jsonb_build_object('sentence', sentence, 'page', page)) from shown) as items`,
    [subscriptionId, id],
  );
  const [summary] = rows;
  if (summary === undefined || summary.count === 0) return; // another process was faster
  const data = { sentence: `${amountOf(summary.count, 'message')} of flagmeter.`, page: '', ...summary };
  await client.query(
    `insert into notification_deliveries (id, subscription_id, type, data, state)
     values ($1, $2, 'summary', $3, 'pending')`,
    [id, subscriptionId, JSON.stringify(data)],
  );
}
