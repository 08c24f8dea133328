import { onlyMembers, selectMembers } from '#base/postgres';
import { type Described, deliverySchema, describedSchema } from '../schema.ts';

export type SubscriptionRow = Described & {
  sealId: string;
  /** It was imported, and nobody has set its address since. */
  lacksAddress: boolean;
};

/** Of the table `s`. */
export const SELECT_SUBSCRIPTION = `
  ${selectMembers(describedSchema, { table: 's' })}, s.seal_id as "sealId", s.sealed_url = '' as "lacksAddress"`;

export function toDescribed(row: SubscriptionRow): Described {
  return onlyMembers(describedSchema, row);
}

/** Of the table `d`. */
export const SELECT_DELIVERY = selectMembers(deliverySchema, {
  table: 'd',
  sql: {
    sentence: "d.data ->> 'sentence'",
    nextAttemptAt: "case when d.state in ('pending', 'held') then d.due_at end",
  },
});
