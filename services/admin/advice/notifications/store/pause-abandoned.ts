import { type Postgres, inTransaction } from '#base/postgres';
import { SYSTEM } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { SUBSCRIPTION_COLUMNS, type SubscriptionRow, toDescribed } from './rows.ts';

/**
 * Pauses the subscriptions whose last editor is no Admin any more, with an event. A subscription sends what happens in every project to an
 * address that its editor chose, so somebody who may read all of that has to stand behind it. Another Admin resumes it.
 */
export async function pauseAbandoned(db: Postgres): Promise<void> {
  const abandoned = await db.query(
    `select from notification_subscriptions as s where ${IS_ABANDONED} limit 1`,
  );
  if (abandoned.rowCount === 0) return;
  await inTransaction(db, async (client) => {
    const { rows } = await client.query<SubscriptionRow>(
      `update notification_subscriptions as s
       set enabled = false
       where ${IS_ABANDONED}
       returning ${SUBSCRIPTION_COLUMNS}`,
    );
    for (const row of rows) {
      const described = toDescribed(row);
      const reason =
        'Whoever has edited this subscription last is no Admin any more. Another Admin can resume it.';
      await recordEvent(client, {
        type: 'notification-updated',
        caller: SYSTEM,
        data: { ...described, reason },
        preData: { ...described, enabled: true },
      });
    }
  });
}

/** All ADMIN tokens share one user, who always is an Admin. */
const IS_ABANDONED = `
  s.enabled
  and not exists (
    select
    from users as u
    left join api_tokens as t on t.id = s.edited_by_token
    where u.id = s.edited_by
      and u.root_role = 'Admin'
      and u.deleted_at is null
      and (
        s.edited_by_token is null
        or t.revoked_at is null and (t.expires_at is null or t.expires_at > now())
      )
  )`;
