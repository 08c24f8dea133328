import { type Pages, type Postgres, mapPages, pageOf, readPages } from '#base/postgres';
import { requireKnownProject } from '../../projects/store/known.ts';
import type { ChangeRequestSummary } from '../schema.ts';
import { type Person, type Seen, VISIBLE, personOf } from './rows.ts';

export type SummaryRow = {
  id: number;
  title: string | null;
  environment: string;
  project: string;
  min_approvals: number;
  state: ChangeRequestSummary['state'];
  created_at: Date;
  author: Person;
  features: string[];
  archives: boolean;
  changes: number;
  approvals: number;
  rejections: number;
  comments: number;
  scheduled_at: Date | null;
  size_bytes: number;
};

/** Fewer rows than other lists have, because the query also reads the changes of each request. */
const MAX_ROWS = 100;

export const SELECT_SUMMARIES = `
  select
    r.id, r.title, r.environment, r.project, r.min_approvals, r.state, r.created_at,
    ${personOf('r')} as author,
    held.features, held.archives, held.changes, octet_length(held.features::text) as size_bytes,
    ${countOf('change_request_approvals', 'and v.withdrawn_at is null')} as approvals,
    ${countOf('change_request_rejections')} as rejections,
    ${countOf('change_request_comments')} as comments,
    (
      select s.scheduled_at
      from change_request_schedule as s
      where s.change_request = r.id
        and r.state = 'Scheduled'
    ) as scheduled_at
  from change_requests as r
  cross join lateral (
    select
      coalesce(json_agg(distinct c.feature) filter (where c.feature is not null), '[]') as features,
      coalesce(bool_or(c.action = 'archiveFeature'), false) as archives,
      count(*)::int as changes
    from change_request_events as c
    where c.change_request_id = r.id
  ) as held`;

const PAGE = pageOf({
  from: `
    ${SELECT_SUMMARIES}
    ${VISIBLE}
      and r.id < $4`,
  order: 'id desc',
  maxRows: MAX_ROWS,
});

function countOf(table: string, condition = ''): string {
  return `(select count(*)::int from ${table} as v where v.change_request_id = r.id ${condition})`;
}

const MAX_ID = 2 ** 31 - 1;

/** Lists the newest first. */
export async function listChangeRequests(
  db: Postgres,
  { project, caller }: Seen,
): Promise<Pages<ChangeRequestSummary>> {
  await requireKnownProject(db, project);
  const pages = await readPages<SummaryRow>(async (last) => {
    const { rows } = await db.query<SummaryRow>(PAGE, [
      project,
      caller.userId,
      caller.tokenId,
      last?.id ?? MAX_ID,
    ]);
    return rows;
  }, MAX_ROWS);
  return mapPages(pages, toSummary);
}

export function toSummary(row: SummaryRow): ChangeRequestSummary {
  const { id, environment, project, state, features, changes, approvals, rejections, comments } = row;
  return {
    id,
    ...(row.title === null ? {} : { title: row.title }),
    environment,
    project,
    minApprovals: row.min_approvals,
    features,
    archivesFeatures: row.archives,
    changes,
    approvals,
    rejections,
    comments,
    createdBy: row.author,
    createdAt: row.created_at.toISOString(),
    state,
    ...(row.scheduled_at === null ? {} : { scheduledAt: row.scheduled_at.toISOString() }),
  };
}
