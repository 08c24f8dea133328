import { type Postgres, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { PersonalTokenRecord } from './schema.ts';
import { type PersonalTokenToStore, createToken, noSuchUser, takeOver } from './store/create.ts';
import { SELECT_TOKEN } from './store/rows.ts';

export type PersonalTokens = ReturnType<typeof createPersonalTokens>;

/** Personal tokens of users; each change writes its event. */
export function createPersonalTokens(db: Postgres) {
  return {
    async list(userId: number): Promise<PersonalTokenRecord[]> {
      const { rows } = await db.query<PersonalTokenRecord | { id: null }>(
        `select ${SELECT_TOKEN}
         from users as u
         left join personal_access_tokens as t on t.user_id = u.id and t.revoked_at is null
         where u.id = $1
           and u.deleted_at is null
           and not u.is_system
         order by t.created_at, t.id`,
        [userId],
      );
      if (rows.length === 0) throw noSuchUser();
      // A user without tokens is one row of nulls.
      return rows.flatMap((row) => (row.id === null ? [] : row));
    },

    create: (token: PersonalTokenToStore, caller: Caller): Promise<PersonalTokenRecord> =>
      inTransaction(db, (client) => createToken(client, token, caller)),

    /** Replaces the token that the caller has sent. */
    takeOver: (token: PersonalTokenToStore, caller: Caller): Promise<PersonalTokenRecord> =>
      inTransaction(db, (client) => takeOver(client, token, caller)),

    delete(userId: number, id: string, caller: Caller): Promise<void> {
      return inTransaction(db, async (client) => {
        const { rows } = await client.query<PersonalTokenRecord>(
          `update personal_access_tokens as t
           set revoked_at = now()
           where id = $1
             and user_id = $2
             and revoked_at is null
           returning ${SELECT_TOKEN}`,
          [id, userId],
        );
        const [record] = rows;
        if (record === undefined) throw notFound('There is no such token.');
        await recordEvent(client, { type: 'pat-deleted', caller, preData: { ...record, userId } });
      });
    },
  };
}
