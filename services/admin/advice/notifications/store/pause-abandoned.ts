import { findStanding } from '#base/auth';
import { type Postgres, inTransaction } from '#base/postgres';
import { SYSTEM, hasPermission } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { SELECT_SUBSCRIPTION, type SubscriptionRow, toDescribed } from './rows.ts';

type Editor = { readonly edited_by: number; readonly edited_by_token: string | null };

/**
 * Pauses the subscriptions whose last editor is no Admin any more, with an event. A subscription sends what happens in every project to an
 * address that its editor chose, so somebody who may read all of that has to stand behind it. Another Admin resumes it.
 */
export async function pauseAbandoned(db: Postgres): Promise<void> {
  const { rows } = await db.query<Editor>(
    'select distinct edited_by, edited_by_token from notification_subscriptions where enabled',
  );
  for (const editor of rows) if (!(await isAdmin(db, editor))) await pauseThoseOf(db, editor);
}

async function isAdmin(
  db: Postgres,
  { edited_by: userId, edited_by_token: token }: Editor,
): Promise<boolean> {
  const standing = await findStanding(db, { userId, tokenId: token ?? undefined });
  return 'actor' in standing && hasPermission(standing.actor.role, 'ADMIN');
}

/** Not those that another Admin has edited meanwhile. */
async function pauseThoseOf(db: Postgres, editor: Editor): Promise<void> {
  await inTransaction(db, async (client) => {
    const { rows } = await client.query<SubscriptionRow>(
      `update notification_subscriptions as s
       set enabled = false
       where enabled
         and edited_by = $1
         and edited_by_token is not distinct from $2
       returning ${SELECT_SUBSCRIPTION}`,
      [editor.edited_by, editor.edited_by_token],
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
