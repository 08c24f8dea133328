import { type Postgres, type PostgresClient, inTransaction, isAhead } from '#base/postgres';
import { SYSTEM } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { CLEAN_UP_VERDICTS, type Card, type Move, type Observed, type Stage, observe } from '../rules.ts';

/** Puts flags on the board that verdicts have found, and moves the others by what happened. One process does this. */
export async function observeCleanUps(db: Postgres): Promise<void> {
  await inTransaction(db, async (client) => {
    await client.query(
      `insert into clean_ups (feature_name)
       select distinct v.subject
       from verdicts as v
       join features as f on f.name = v.subject
       where v.subject_type = 'feature'
         and v.verdict = any ($1)
         and v.ended_at is null
         and f.archived_at is null
       on conflict (feature_name) do nothing`,
      [CLEAN_UP_VERDICTS],
    );
    await client.query(MEND);
    const { rows } = await client.query<Row>(OBSERVE, [CLEAN_UP_VERDICTS]);
    const moves = rows.map((row) => ({ row, move: observe(cardOf(row), observedOf(row)) }));
    await client.query('delete from clean_ups where feature_name = any ($1)', [
      moves.flatMap(({ row, move }) => (move === undefined ? row.feature_name : [])),
    ]);
    const changed = moves.flatMap(({ row, move }) =>
      move !== undefined && isChange(row, move) ? { row, move } : [],
    );
    await write(client, changed);
    for (const { row, move } of changed) await announce(client, row, move.stage);
  });
}

type Row = {
  feature_name: string;
  project: string;
  stage: Stage;
  since: Date;
  held_at: Date | null;
  told_at: Date | null;
  told_to: string | null;
  change_request_id: number | null;
  is_archived: boolean;
  is_found: boolean;
  first_told_at: Date | null;
  first_told_to: string | null;
  request_id: number | null;
  request_at: Date | null;
  is_request_closed: boolean;
  last_seen_at: Date | null;
  is_quiet: boolean;
};

/** What somebody moved while the clock was ahead was moved now: otherwise nothing would be newer until then. */
const MEND = `
  update clean_ups
  set since = least(since, now()), held_at = least(held_at, now())
  where ${isAhead('greatest(since, held_at)')}`;

/**
 * A flag is quiet in an environment if it was evaluated last a day before the newest evaluation there. So nothing seems to end while
 * nothing is counted. An evaluation of the future, by the clock of a sender, does not make the others quiet.
 */
const OBSERVE = `
  with newest as (
    select environment, max(least(last_seen_at, now())) as at
    from feature_last_seen
    where environment <> ''
    group by environment
  )
  select
    c.*,
    f.project,
    f.archived_at is not null as is_archived,
    exists (
      select
      from verdicts as v
      where v.subject_type = 'feature'
        and v.subject = c.feature_name
        and v.verdict = any ($1)
        and v.ended_at is null
    ) as is_found,
    told.at as first_told_at,
    told.name as first_told_to,
    request.id as request_id,
    request.created_at as request_at,
    coalesce(linked.state in ('Cancelled', 'Rejected'), false) as is_request_closed,
    seen.last_seen_at,
    coalesce(seen.is_quiet, false) as is_quiet
  from clean_ups as c
  join features as f on f.name = c.feature_name
  left join change_requests as linked on linked.id = c.change_request_id
  left join lateral (
    select at, name
    from (
      select coalesce(summary.delivered_at, d.delivered_at) as at, s.name
      from notification_deliveries as d
      join notification_subscriptions as s on s.id = d.subscription_id
      left join notification_deliveries as summary on summary.id = d.gathered_in
      where d.type = 'verdict.appeared'
        and d.data ->> 'featureName' = c.feature_name
        and d.data ->> 'verdict' = any ($1)
      union all
      select v.acknowledged_at, v.acknowledged_by
      from verdicts as v
      where v.subject_type = 'feature'
        and v.subject = c.feature_name
        and v.verdict = any ($1)
    ) as known
    where at > coalesce(c.held_at, '-infinity')
    order by at
    limit 1
  ) as told on true
  left join lateral (
    select r.id, r.created_at
    from change_request_events as e
    join change_requests as r on r.id = e.change_request_id
    where e.feature = c.feature_name
      and e.action = 'archiveFeature'
      and r.project = f.project
      and (r.state in ('In review', 'Approved', 'Scheduled') or (r.state = 'Applied' and f.archived_at is not null))
    order by r.id desc
    limit 1
  ) as request on true
  left join lateral (
    select
      max(last_seen_at) as last_seen_at,
      bool_and(last_seen_at <= newest.at - interval '24 hours') as is_quiet
    from feature_last_seen as own
    join newest using (environment)
    where own.feature_name = c.feature_name
  ) as seen on true
  order by c.feature_name
  for update of c`;

function cardOf(row: Row): Card {
  return {
    stage: row.stage,
    since: row.since,
    heldAt: row.held_at ?? undefined,
    told: toldOf(row.told_at, row.told_to),
    changeRequestId: row.change_request_id ?? undefined,
  };
}

function observedOf(row: Row): Observed {
  return {
    isArchived: row.is_archived,
    isFound: row.is_found,
    isQuiet: row.is_quiet,
    told: toldOf(row.first_told_at, row.first_told_to),
    request:
      row.request_id === null || row.request_at === null
        ? undefined
        : { id: row.request_id, at: row.request_at },
    isRequestClosed: row.is_request_closed,
    lastSeenAt: row.last_seen_at ?? undefined,
  };
}

function toldOf(at: Date | null, to: string | null) {
  return at === null || to === null ? undefined : { at, to };
}

function isChange(row: Row, { stage, told, changeRequestId }: Move): boolean {
  return (
    stage !== row.stage ||
    told?.at.getTime() !== row.told_at?.getTime() ||
    changeRequestId !== (row.change_request_id ?? undefined)
  );
}

async function write(
  client: PostgresClient,
  changed: readonly { readonly row: Row; readonly move: Move }[],
): Promise<void> {
  const records = changed.map(({ row, move: { stage, told, changeRequestId } }) => ({
    feature_name: row.feature_name,
    stage,
    told_at: told?.at,
    told_to: told?.to,
    change_request_id: changeRequestId,
  }));
  await client.query(
    `update clean_ups as c
     set
       stage = changed.stage,
       since = case when changed.stage = c.stage then c.since else now() end,
       moved_by = case when changed.stage = c.stage then c.moved_by end,
       told_at = changed.told_at,
       told_to = changed.told_to,
       change_request_id = changed.change_request_id
     from jsonb_to_recordset($1::jsonb) as changed (
       feature_name text, stage text, told_at timestamptz, told_to text, change_request_id integer
     )
     where c.feature_name = changed.feature_name`,
    [JSON.stringify(records)],
  );
}

/** That evaluations ended, or began again, is an event; the other stages have events of their own. */
async function announce(client: PostgresClient, row: Row, stage: Stage): Promise<void> {
  if (stage !== 'gone' && !(row.stage === 'gone' && stage === 'removal')) return;
  if (stage === row.stage) return;
  await recordEvent(client, {
    type: 'clean-up-moved',
    caller: SYSTEM,
    project: row.project,
    featureName: row.feature_name,
    data: { stage },
    preData: { stage: row.stage },
  });
}
