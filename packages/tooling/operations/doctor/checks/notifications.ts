import type { Postgres } from '#base/postgres';
import { amountOf } from '#base/runtime';
import { type Check, ok, warn } from '../finding.ts';

const MAX_LISTED = 5;

/** Names subscriptions by their numbers, because somebody chose their names. */
export function notificationsCheck(db: Postgres): Check {
  return {
    name: 'notifications',
    run: async () => {
      const { rows } = await db.query<{ id: number; messages: number }>(
        `select subscription_id as id, count(*)::integer as messages
         from notification_deliveries
         where state = 'failed'
           or (state = 'pending' and problem is not null and queued_at < now() - interval '1 hour')
         group by subscription_id
         order by subscription_id`,
      );
      if (rows.length === 0) return ok('Every receiver of notifications accepts its messages.');
      const messages = rows.reduce((sum, row) => sum + row.messages, 0);
      const others = rows.length > MAX_LISTED ? `, and ${rows.length - MAX_LISTED} more` : '';
      const listed = rows.slice(0, MAX_LISTED).map(({ id }) => id);
      return warn(
        `${amountOf(messages, 'message')} of these subscriptions were not accepted: ${listed.join(', ')}${others}.`,
        'Try their receivers: flagmeter notify test.',
      );
    },
  };
}
