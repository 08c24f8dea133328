import type { RecordedVerdict } from '../recorded-schema.ts';

export type RecordedRow = {
  id: string;
  subject_type: RecordedVerdict['subjectType'];
  subject: string;
  project: string | null;
  environment: string;
  verdict: string;
  sentence: string;
  since: Date;
  appeared_at: Date;
  ended_at: Date | null;
  acknowledged_at: Date | null;
  acknowledged_by: string | null;
  acknowledged_until: Date | null;
  acknowledgement: string | null;
};

/** Of the table `v`. */
export const RECORDED_COLUMNS = `
  v.id, v.subject_type, v.subject, v.environment, v.verdict, v.sentence, v.since, v.appeared_at, v.ended_at,
  v.acknowledged_at, v.acknowledged_by, v.acknowledged_until, v.acknowledgement,
  (select f.project from features as f where v.subject_type = 'feature' and f.name = v.subject) as project`;

export function toRecorded(row: RecordedRow): RecordedVerdict {
  return {
    id: Number(row.id),
    subjectType: row.subject_type,
    subject: row.subject,
    project: row.project,
    environment: row.environment,
    verdict: row.verdict,
    sentence: row.sentence,
    since: row.since.toISOString(),
    appearedAt: row.appeared_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
    acknowledgement:
      row.acknowledged_at === null || row.acknowledgement === null
        ? null
        : {
            reason: row.acknowledgement,
            until: row.acknowledged_until?.toISOString() ?? null,
            by: row.acknowledged_by ?? '',
            at: row.acknowledged_at.toISOString(),
          },
  };
}
