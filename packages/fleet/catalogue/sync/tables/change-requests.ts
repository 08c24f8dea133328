import type { CopiedTable } from '../copied-table.ts';
import { syncOf } from '../copy-table.ts';
import { textOfTime } from '../rows.ts';

type RequestRow = {
  readonly id: number;
  readonly state_since: string;
  readonly created_at: string;
  readonly changed_at: string;
  readonly size_bytes: number;
};

export const CHANGE_REQUESTS: CopiedTable<RequestRow> = {
  name: 'change requests',
  table: 'change_requests',
  copies: 'change_request_copies',
  identity: { id: 'integer' },
  columns: `
    t.id,
    t.project,
    t.environment,
    coalesce(t.title, '') as title,
    t.state,
    coalesce(t.state_timestamps ->> t.state, '') as state_since,
    coalesce(of_request.features, '{}') as features,
    of_request.changes,
    t.min_approvals as required_approvals,
    coalesce(k.token_name, u.username, u.email, u.name, '') as created_by,
    ${textOfTime('t.created_at')} as created_at,
    ${textOfTime('t.changed_at')} as changed_at,
    200 + of_request.changes * 100 as size_bytes`,
  joins: `
    join users as u on u.id = t.created_by
    left join api_tokens as k on k.id = t.created_by_token
    cross join lateral (
      select
        array_agg(distinct c.feature order by c.feature) filter (where c.feature is not null) as features,
        count(*)::int as changes
      from change_request_events as c
      where c.change_request_id = t.id
    ) as of_request`,
  toCopy,
};

export const syncChangeRequests = syncOf(CHANGE_REQUESTS);

/** An import does not check the times of states. */
function toCopy({ size_bytes: _, state_since, ...copy }: RequestRow): object {
  const time = Date.parse(state_since);
  const isUsable = time > 0 && time < Date.UTC(2100);
  return {
    ...copy,
    state_since: isUsable ? new Date(time).toISOString().replace('T', ' ').slice(0, -1) : copy.created_at,
  };
}
