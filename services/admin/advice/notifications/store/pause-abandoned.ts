import { findStanding } from '#base/auth';
import { type Postgres, inTransaction } from '#base/postgres';
import { SYSTEM, hasPermission } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { SELECT_SUBSCRIPTION, type SubscriptionRow, toDescribed } from './rows.ts';

type Editor = {
  readonly edited_by: number;
  readonly edited_by_token: string | null;
  readonly personal_token: string | null;
};

/**
 * Pauses the subscriptions whose last editor is no Admin any more, with an event. A subscription sends what happens in every project to an
 * address that its editor chose, so somebody who may read all of that has to stand behind it. Another Admin resumes it.
 */
export async function pauseAbandoned(db: Postgres): Promise<void> {
  const { rows } = await db.query<Editor>(
    'select distinct edited_by, edited_by_token, personal_token from notification_subscriptions where enabled',
  );
  for (const editor of rows) {
    const reason = await whyLost(db, editor);
    if (reason !== undefined) await pauseThoseOf(db, editor, `${reason} Another Admin can resume it.`);
  }
}

/** Undefined while the editor is an Admin. */
async function whyLost(db: Postgres, editor: Editor): Promise<string | undefined> {
  const standing = await findStanding(db, {
    userId: editor.edited_by,
    tokenId: editor.edited_by_token ?? undefined,
    personalToken: editor.personal_token ?? undefined,
  });
  if ('gone' in standing)
    return `Whoever has edited this subscription last is no Admin any more: ${standing.gone}.`;
  if (hasPermission(standing.actor.role, 'ADMIN')) return undefined;
  return 'Whoever has edited this subscription last is no Admin any more.';
}

/** Not those that another Admin has edited meanwhile. */
async function pauseThoseOf(db: Postgres, editor: Editor, reason: string): Promise<void> {
  await inTransaction(db, async (client) => {
    const { rows } = await client.query<SubscriptionRow>(
      `update notification_subscriptions as s
       set enabled = false
       where enabled
         and edited_by = $1
         and edited_by_token is not distinct from $2
         and personal_token is not distinct from $3
       returning ${SELECT_SUBSCRIPTION}`,
      [editor.edited_by, editor.edited_by_token, editor.personal_token],
    );
    for (const row of rows) {
      const described = toDescribed(row);
      await recordEvent(client, {
        type: 'notification-updated',
        caller: SYSTEM,
        data: { ...described, reason },
        preData: { ...described, enabled: true },
      });
    }
  });
}
