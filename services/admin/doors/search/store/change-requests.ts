import type { ChangeRequestSummary } from '../../../flags/change-requests/schema.ts';
import { SELECT_SUMMARIES, type SummaryRow, toSummary } from '../../../flags/change-requests/store/list.ts';
import { isSeenBy } from '../../../flags/change-requests/store/author.ts';
import type { ChangeRequestsQuery } from '../schemas.ts';
import { type Conditions, type Listing, type Seen, addSearch, createConditions } from './page.ts';

const ID = { column: 'id', sql: 'r.id', kind: 'number' } as const;

export const changeRequestListing: Listing<SummaryRow, ChangeRequestSummary> = {
  select: SELECT_SUMMARIES,
  sorts: {
    id: [ID],
    createdAt: [{ column: 'created_at', sql: 'r.created_at', kind: 'time' }, ID],
    state: [{ column: 'state', sql: 'r.state', kind: 'text' }, ID],
  },
  toItem: toSummary,
};

/** Drafts of others are left out. */
export function changeRequestsThat(
  { search, project, environment, feature, state }: ChangeRequestsQuery,
  { caller, visible }: Seen,
): Conditions {
  const conditions = createConditions();
  const { put, where } = conditions;
  where(isSeenBy({ userId: put(caller.userId), tokenId: put(caller.tokenId) }));
  if (visible !== undefined) where(`r.project = any(${put(visible)})`);
  if (search !== undefined) addSearch(conditions, ["coalesce(r.title, '')"], search);
  if (project !== undefined) where(`r.project = ${put(project)}`);
  if (environment !== undefined) where(`r.environment = ${put(environment)}`);
  if (state !== undefined) where(`r.state = ${put(state)}`);
  if (feature !== undefined)
    where(`exists (
      select
      from change_request_events as e
      where e.change_request_id = r.id
        and e.feature = ${put(feature)}
    )`);
  return conditions;
}
