import { createSessions } from '#base/auth';
import { type Postgres, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound } from '../../denial.ts';
import { recordDone } from '../../record/audit/store/record-entry.ts';

export type SessionsStore = ReturnType<typeof createSessionsStore>;

/** Sessions for the people who have them and for Admins. Each end is recorded. */
export function createSessionsStore(db: Postgres, idleMs: number) {
  return {
    ...createSessions(db, idleMs),

    /** Ends a session, of this user if one is named. Returns its id as it is stored. */
    revoke: (id: string, { caller, userId }: By): Promise<string> =>
      inTransaction(db, async (client) => {
        const revoked = await createSessions(client, idleMs).revoke(id, userId);
        if (revoked === undefined) throw notFound('There is no such session.');
        recordDone(client, caller, { event: 'session-ended', before: { id: revoked } });
        return revoked;
      }),

    /** Ends all sessions, of this user if one is named, and returns their ids. */
    revokeAll: ({ caller, userId }: By): Promise<string[]> =>
      inTransaction(db, async (client) => {
        const ids = await createSessions(client, idleMs).revokeAll(userId);
        recordDone(client, caller, { event: 'sessions-ended', before: { userId, ids } });
        return ids;
      }),
  };
}

type By = { readonly caller: Caller; readonly userId?: number };
