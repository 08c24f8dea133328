import { selectMembers } from '#base/postgres';
import { personalTokenSchema } from '../schema.ts';

/** Of the table `t`. */
export const SELECT_TOKEN = selectMembers(personalTokenSchema, {
  table: 't',
  sql: { createdByUserId: 't.created_by', createdByTokenId: 't.created_by_token' },
});
