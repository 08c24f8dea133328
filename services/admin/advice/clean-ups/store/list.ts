import { type Postgres, type PostgresClient, isoTime, selectMembers } from '#base/postgres';
import { type Visible, cleanText } from '#base/tokens';
import { type CleanUp, type CleanUps, cleanUpSchema } from '../schema.ts';
import { CLEAN_UP_VERDICTS, type Stage } from '../rules.ts';

/** Absent filters match everything. */
export type CleanUpFilter = {
  readonly stage?: Stage | undefined;
  readonly project?: string | undefined;
  readonly owner?: string | undefined;
  readonly feature?: string | undefined;
  readonly limit: number;
};

/** The flags of the board; those that came to their stage last are first. */
export async function listCleanUps(
  db: Postgres | PostgresClient,
  filter: CleanUpFilter,
  visible: Visible,
): Promise<CleanUp[]> {
  const values = [...valuesOf(filter, visible), filter.limit, CLEAN_UP_VERDICTS];
  const { rows } = await db.query<CleanUp>(LIST, values);
  return rows;
}

/** The number of flags in each stage. */
export async function countCleanUps(
  db: Postgres,
  filter: CleanUpFilter,
  visible: Visible,
): Promise<CleanUps['totals']> {
  const { rows } = await db.query<CleanUps['totals'][number]>(
    `select c.stage, count(*)::integer as total
     from clean_ups as c
     join features as f on f.name = c.feature_name
     where ${CONDITIONS}
     group by c.stage
     order by c.stage`,
    valuesOf(filter, visible),
  );
  return rows;
}

const CONDITIONS = `($1::text is null or c.stage = $1)
    and ($2::text is null or f.project = $2)
    and ($3::text is null or f.owner = $3)
    and ($4::text is null or c.feature_name = $4)
    and ($5::text[] is null or f.project = any ($5))`;

/** The parameters of the conditions. */
function valuesOf({ stage, project, owner, feature }: CleanUpFilter, visible: Visible): unknown[] {
  return [stage, project, owner && cleanText(owner), feature, visible];
}

const SELECT_CLEAN_UP = selectMembers(cleanUpSchema, {
  table: 'c',
  sql: {
    project: 'f.project',
    owner: 'f.owner',
    told: `
      case when c.told_at is not null and c.told_to is not null
        then json_build_object('to', c.told_to, 'at', ${isoTime('c.told_at')})
      end`,
    changeRequestId: `(
      select r.id
      from change_requests as r
      where r.id = c.change_request_id
        and r.project = f.project
    )`,
    lastSeenAt: "nullif(seen.last_seen_at, 'epoch')",
    codeReferences: `
      case when exists (select from code_repositories) then (
        select count(*)::integer
        from code_references as r
        where r.feature_name = c.feature_name
      ) end`,
    verdicts: `(
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
        and v.verdict = any ($7)
        and v.ended_at is null
    )`,
  },
});

const LIST = `
  select ${SELECT_CLEAN_UP}
  from clean_ups as c
  join features as f on f.name = c.feature_name
  left join feature_last_seen as seen on seen.feature_name = c.feature_name and seen.environment = ''
  where ${CONDITIONS}
  order by c.since desc, c.feature_name
  limit $6`;
