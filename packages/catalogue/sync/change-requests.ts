import { type ClickHouse, readRows } from '#clickhouse';
import { type Postgres, pageOf, readPages } from '#postgres';
import { insertPages, insertRows, textOfTime } from './rows.ts';

type RequestRow = {
  readonly id: number;
  readonly state_since: string;
  readonly created_at: string;
  readonly changed_at: string;
  readonly size_bytes: number;
};

/** Copies the changes of change requests. One without changes is deleted, which only an open one can be. */
export async function syncChangeRequests(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  await copyChanged(db, clickhouse);
  const open = await readRows<{ id: number }>(
    clickhouse,
    `select id from change_request_copies final where state not in ('Applied', 'Cancelled', 'Rejected')`,
  );
  const { rows: gone } = await db.query<{ id: number }>(
    `select open.id
     from unnest($1::int[]) as open (id)
     where not exists (select from change_requests as r where r.id = open.id)`,
    [open.map(({ id }) => id)],
  );
  await insertRows(
    clickhouse,
    'change_request_copies',
    gone.map(({ id }) => ({ id, is_gone: 1 })),
  );
}

async function copyChanged(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  // A transaction becomes visible later than the times of its rows, by up to an hour.
  const recent = await readRows<{ id: number; changed_at: string }>(
    clickhouse,
    `select id, toString(max(r.changed_at)) as changed_at
     from change_request_copies as r
     where r.changed_at >= (select max(changed_at) from change_request_copies) - interval 1 hour
     group by id
     order by changed_at`,
  );
  const known = new Map(recent.map(({ id, changed_at }) => [id, changed_at]));
  const since = `${recent[0]?.changed_at ?? '1970-01-01'}Z`;
  const { rows } = await db.query<{ id: number; changed_at: string }>(
    `select id, ${textOfTime('changed_at')} as changed_at from change_requests where changed_at >= $1`,
    [since],
  );
  const changed = rows.filter(({ id, changed_at }) => known.get(id) !== changed_at).map(({ id }) => id);
  if (changed.length === 0) return;
  const pages = await readPages<RequestRow>(async (last) => {
    const page = await db.query<RequestRow>(REQUESTS, [changed, last?.id ?? 0]);
    return page.rows;
  });
  await insertPages(clickhouse, { table: 'change_request_copies', pages }, toCopy);
}

const REQUESTS = pageOf({
  from: `
    select
      r.id,
      r.project,
      r.environment,
      coalesce(r.title, '') as title,
      r.state,
      coalesce(r.state_timestamps ->> r.state, '') as state_since,
      coalesce(of_request.features, '{}') as features,
      of_request.changes,
      r.min_approvals as required_approvals,
      coalesce(t.token_name, u.username, u.email, u.name, '') as created_by,
      ${textOfTime('r.created_at')} as created_at,
      ${textOfTime('r.changed_at')} as changed_at,
      200 + of_request.changes * 100 as size_bytes
    from change_requests as r
    join users as u on u.id = r.created_by
    left join api_tokens as t on t.id = r.created_by_token
    cross join lateral (
      select
        array_agg(distinct c.feature order by c.feature) filter (where c.feature is not null) as features,
        count(*)::int as changes
      from change_request_events as c
      where c.change_request_id = r.id
    ) as of_request
    where r.id = any ($1)
      and r.id > $2`,
  order: 'id',
});

/** An import does not check the times of states. */
function toCopy({ size_bytes: _, state_since, ...copy }: RequestRow): object {
  const time = Date.parse(state_since);
  const isUsable = time > 0 && time < Date.UTC(2100);
  return {
    ...copy,
    state_since: isUsable ? new Date(time).toISOString().replace('T', ' ').slice(0, -1) : copy.created_at,
  };
}
