import type { Postgres } from '#base/postgres';
import type { Visible } from '#base/tokens';
import type { RecordedVerdict } from '../recorded-schema.ts';
import { SELECT_RECORDED } from './recorded-rows.ts';

export const RECORDED_STATES = ['open', 'acknowledged', 'ended'] as const;

/** Absent filters match everything. */
export type RecordedFilter = {
  readonly state?: (typeof RECORDED_STATES)[number] | undefined;
  readonly verdict?: string | undefined;
  readonly feature?: string | undefined;
  readonly limit: number;
};

/** The verdicts that appeared last come first. */
export async function listRecorded(
  db: Postgres,
  { state, verdict, feature, limit }: RecordedFilter,
  visible: Visible,
): Promise<{ readonly total: number; readonly verdicts: RecordedVerdict[] }> {
  const { rows } = await db.query<RecordedVerdict & { total: number }>(
    `select ${SELECT_RECORDED}, (count(*) over ())::integer as total
     from verdicts as v
     where ($1::text is null or $1 = case
         when ended_at is not null then 'ended'
         when acknowledged_at is not null then 'acknowledged'
         else 'open'
       end)
       and ($2::text is null or verdict = $2)
       and ($3::text is null or (subject_type = 'feature' and subject = $3))
       and ($5::text[] is null or (
         subject_type = 'feature'
         and subject in (select f.name from features as f where f.project = any ($5))
       ))
     order by appeared_at desc, id desc
     limit $4`,
    [state, verdict, feature, limit, visible],
  );
  return { total: rows[0]?.total ?? 0, verdicts: rows.map(({ total: _, ...verdict }) => verdict) };
}
