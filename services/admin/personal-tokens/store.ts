import { randomUUID } from 'node:crypto';
import { type Postgres, type PostgresClient, inTransaction } from '#postgres';
import { type Caller, hashSecret } from '#tokens';
import { recordEvent } from '../events/store/record-event.ts';
import type { PersonalTokenRecord } from './schema.ts';

/** The maximum number of tokens of a user (docs/unleash.md#personal-tokens). */
export const MAX_PERSONAL_TOKENS = 10;

type TokenRow = { id: string; description: string; created_at: Date; expires_at: Date };

export type PersonalTokenToStore = {
  readonly userId: number;
  readonly secret: string;
  readonly description: string;
  readonly expiresAt: Date;
};

export type PersonalTokens = ReturnType<typeof createPersonalTokens>;

/** Personal tokens of users; each change writes its event. */
export function createPersonalTokens(db: Postgres) {
  return {
    /** Undefined for an unknown user. */
    async list(userId: number): Promise<PersonalTokenRecord[] | undefined> {
      const { rows } = await db.query<TokenRow | { id: null }>(
        `select t.id, t.description, t.created_at, t.expires_at
         from users as u
         left join personal_access_tokens as t on t.user_id = u.id
         where u.id = $1
           and u.deleted_at is null
           and not u.is_system
         order by t.created_at, t.id`,
        [userId],
      );
      if (rows.length === 0) return undefined;
      // A user without tokens is one row of nulls.
      return rows.flatMap((row) => (row.id === null ? [] : toRecord(row)));
    },

    create: (
      token: PersonalTokenToStore,
      caller: Caller,
    ): Promise<PersonalTokenRecord | 'unknown user' | 'too many'> =>
      inTransaction(db, (client) => createToken(client, token, caller)),

    /** Returns whether the token existed. */
    delete(userId: number, id: string, caller: Caller): Promise<boolean> {
      return inTransaction(db, async (client) => {
        const { rows } = await client.query<TokenRow>(
          `delete from personal_access_tokens
           where id = $1
             and user_id = $2
           returning id, description, created_at, expires_at`,
          [id, userId],
        );
        const record = rows.map(toRecord)[0];
        if (record === undefined) return false;
        await recordEvent(client, { type: 'pat-deleted', caller, preData: { ...record, userId } });
        return true;
      });
    },
  };
}

/** Locks the row of the user, so that two concurrent requests cannot exceed the limit. */
async function createToken(
  client: PostgresClient,
  { userId, secret, description, expiresAt }: PersonalTokenToStore,
  caller: Caller,
): Promise<PersonalTokenRecord | 'unknown user' | 'too many'> {
  const user = await client.query(
    `select
     from users
     where id = $1
       and deleted_at is null
       and not is_system
     for update`,
    [userId],
  );
  if (user.rowCount === 0) return 'unknown user';
  const { rows } = await client.query<TokenRow>(
    `insert into personal_access_tokens (id, user_id, secret_hash, description, expires_at)
     select $1, $2, $3, $4, $5
     where (select count(*) from personal_access_tokens where user_id = $2) < $6
     returning id, description, created_at, expires_at`,
    [randomUUID(), userId, hashSecret(secret), description, expiresAt, MAX_PERSONAL_TOKENS],
  );
  const record = rows.map(toRecord)[0];
  if (record === undefined) return 'too many';
  await recordEvent(client, { type: 'pat-created', caller, data: { ...record, userId } });
  return record;
}

function toRecord(row: TokenRow): PersonalTokenRecord {
  return {
    id: row.id,
    description: row.description,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
  };
}
