import type { Postgres, PostgresClient } from '#base/postgres';
import { type Visible, cleanText } from '#base/tokens';
import type { CleanUp } from '../schema.ts';
import { CLEAN_UP_VERDICTS, type Stage } from '../rules.ts';

/** Absent filters match everything. */
export type CleanUpFilter = {
  readonly stage?: Stage | undefined;
  readonly project?: string | undefined;
  readonly owner?: string | undefined;
  readonly feature?: string | undefined;
  readonly limit: number;
};

type Row = {
  feature_name: string;
  project: string;
  owner: string | null;
  stage: Stage;
  since: Date;
  moved_by: string | null;
  told_at: Date | null;
  told_to: string | null;
  url: string | null;
  change_request_id: number | null;
  last_seen_at: Date | null;
  code_references: number | null;
  verdicts: CleanUp['verdicts'];
};

/** The flags of the board; those that came to their stage last are first. */
export async function listCleanUps(
  db: Postgres | PostgresClient,
  { stage, project, owner, feature, limit }: CleanUpFilter,
  visible: Visible,
): Promise<CleanUp[]> {
  const values = [CLEAN_UP_VERDICTS, stage, project, owner && cleanText(owner), feature, limit, visible];
  const { rows } = await db.query<Row>(LIST, values);
  return rows.map(toCleanUp);
}

const LIST = `
  select
    c.feature_name,
    f.project,
    f.owner,
    c.stage,
    c.since,
    c.moved_by,
    c.told_at,
    c.told_to,
    c.url,
    (
      select r.id
      from change_requests as r
      where r.id = c.change_request_id
        and r.project = f.project
    ) as change_request_id,
    nullif(seen.last_seen_at, 'epoch') as last_seen_at,
    case when exists (select from code_repositories) then (
      select count(*)::integer
      from code_references as r
      where r.feature_name = c.feature_name
    ) end as code_references,
    (
      select coalesce(
        jsonb_agg(
          jsonb_build_object('verdict', v.verdict, 'environment', v.environment, 'sentence', v.sentence)
          order by v.environment, v.verdict
        ),
        '[]'
      )
      from verdicts as v
      where v.subject_type = 'feature'
        and v.subject = c.feature_name
        and v.verdict = any ($1)
        and v.ended_at is null
    ) as verdicts
  from clean_ups as c
  join features as f on f.name = c.feature_name
  left join feature_last_seen as seen on seen.feature_name = c.feature_name and seen.environment = ''
  where ($2::text is null or c.stage = $2)
    and ($3::text is null or f.project = $3)
    and ($4::text is null or f.owner = $4)
    and ($5::text is null or c.feature_name = $5)
    and ($7::text[] is null or f.project = any ($7))
  order by c.since desc, c.feature_name
  limit $6`;

function toCleanUp(row: Row): CleanUp {
  return {
    featureName: row.feature_name,
    project: row.project,
    owner: row.owner,
    stage: row.stage,
    since: row.since.toISOString(),
    movedBy: row.moved_by,
    told:
      row.told_at === null || row.told_to === null
        ? null
        : { to: row.told_to, at: row.told_at.toISOString() },
    url: row.url,
    changeRequestId: row.change_request_id,
    lastSeenAt: row.last_seen_at?.toISOString() ?? null,
    codeReferences: row.code_references,
    verdicts: row.verdicts,
  };
}
