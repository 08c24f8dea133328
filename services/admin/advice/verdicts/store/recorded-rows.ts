import { isoTime, selectMembers } from '#base/postgres';
import { recordedVerdictSchema } from '../recorded-schema.ts';

/** Of the table `v`. */
export const SELECT_RECORDED = selectMembers(recordedVerdictSchema, {
  table: 'v',
  sql: {
    // A number; the driver would return a bigint as text.
    id: 'v.id::float8',
    project: "(select f.project from features as f where v.subject_type = 'feature' and f.name = v.subject)",
    acknowledgement: `
      case when v.acknowledged_at is not null and v.acknowledgement is not null
        then json_build_object(
          'reason', v.acknowledgement,
          'until', ${isoTime('v.acknowledged_until')},
          'by', coalesce(v.acknowledged_by, ''),
          'at', ${isoTime('v.acknowledged_at')}
        )
      end`,
  },
});
