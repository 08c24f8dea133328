import { type Postgres, type PostgresClient, inTransaction, isAhead } from '#base/postgres';
import { type Cause, WAITING_EVENT, tell } from '../rules.ts';

type Row = {
  id: string;
  kind: Cause['kind'];
  type: string;
  project: string | null;
  environment: string | null;
  feature_name: string | null;
  data: Record<string, unknown>;
};

const MAX_CAUSES = 200;

/**
 * Turns causes into deliveries: one for each cause and subscription, in one transaction. A subscription gets `perHour` messages in a
 * clock hour; the others are held for a summary, and so are all messages of a digest. Returns whether there are more causes.
 */
export async function dispatchCauses(db: Postgres, perHour: number): Promise<boolean> {
  // Mostly there is none, and this takes one statement instead of three.
  const { rowCount } = await db.query('select from notification_causes limit 1');
  if (rowCount === 0) return false;
  return inTransaction(db, async (client) => {
    const causes = await takeCauses(client);
    if (causes.length === 0) return false;
    const told = causes.map((cause) => ({ ...cause, ...withoutName(tell(cause)) }));
    await client.query(DELIVER, [JSON.stringify(told), perHour, WAITING_EVENT]);
    return causes.length === MAX_CAUSES;
  });
}

/** `type` of a cause is its verdict or event, and that of a message its own. */
function withoutName({ type, data }: ReturnType<typeof tell>) {
  return { messageType: type, data };
}

async function takeCauses(client: PostgresClient): Promise<(Cause & { createdAt: string })[]> {
  const { rows } = await client.query<Row & { created_at: Date }>(
    `delete from notification_causes
     where id in (select id from notification_causes order by id limit ${MAX_CAUSES} for update skip locked)
     returning id, kind, type, project, environment, feature_name, data, created_at`,
  );
  return rows
    .map(({ feature_name: featureName, created_at: createdAt, ...row }) => ({
      ...row,
      featureName,
      createdAt: createdAt.toISOString(),
    }))
    .sort((one, other) => Number(one.id) - Number(other.id));
}

/** Dates of digests are days of UTC, whatever the time zone of the server. */
const DELIVER = `
  with cause as (
    select *
    from jsonb_to_recordset($1::jsonb) as cause (
      id bigint, kind text, type text, "messageType" text, project text, environment text, "featureName" text, data jsonb,
      "createdAt" timestamptz
    )
  ),
  sent as (
    select subscription_id, count(*) as messages
    from notification_deliveries
    where queued_at >= date_trunc('hour', now(), 'UTC')
      and queued_at < date_trunc('hour', now(), 'UTC') + interval '1 hour'
      and cause_id is not null
      and state in ('pending', 'delivered', 'failed')
    group by subscription_id
  ),
  wanted as (
    select
      s.id as subscription_id,
      s.schedule,
      cause.id as cause_id,
      cause."messageType" as type,
      cause.data || jsonb_build_object('project', coalesce(cause.project, f.project), 'owner', f.owner) as data,
      cause."createdAt" as created_at,
      case s.schedule
        when 'at-once' then date_trunc('hour', now(), 'UTC') + interval '1 hour'
        when 'daily' then today + case when today > now() then interval '0' else interval '1 day' end
        else in_week + case when in_week > now() then interval '0' else interval '7 days' end
      end as summed_up_at,
      row_number() over (partition by s.id order by cause.id) + coalesce(sent.messages, 0) as place
    from cause
    cross join notification_subscriptions as s
    left join features as f on f.name = cause."featureName"
    cross join lateral (
      select date_trunc('day', now(), 'UTC') + s.hour * interval '1 hour' as today
    ) as day
    cross join lateral (
      select date_trunc('week', now(), 'UTC') + (s.weekday - 1) * interval '1 day' + s.hour * interval '1 hour' as in_week
    ) as week
    left join sent on sent.subscription_id = s.id
    where s.enabled
      -- Of a subscription that was made while the clock was ahead, nobody knows when that was.
      and (s.created_at <= cause."createdAt" or ${isAhead('s.created_at')})
      and case
        when cause.kind = 'event' then
          ('event' = any (s.causes) and (s.event_types = '{}' or cause.type = any (s.event_types)))
          or ('change-request-waiting' = any (s.causes) and cause.type = $3)
        when cause.kind = 'token-ending' then cause.kind = any (s.causes)
        else cause.kind = any (s.causes) and (s.verdicts = '{}' or cause.type = any (s.verdicts))
      end
      and (s.project is null or s.project = coalesce(cause.project, f.project))
      and (s.owner is null or s.owner = f.owner)
      and (s.tag is null or s.tag = any (f.tags))
  )
  insert into notification_deliveries (subscription_id, cause_id, type, data, created_at, state, due_at)
  select
    subscription_id,
    cause_id,
    type,
    data,
    created_at,
    case when schedule = 'at-once' and place <= $2 then 'pending' else 'held' end,
    case when schedule = 'at-once' and place <= $2 then now() else summed_up_at end
  from wanted
  order by cause_id
  on conflict (subscription_id, cause_id) do nothing`;
