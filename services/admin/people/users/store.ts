import { createTokens } from '#base/auth';
import {
  type Postgres,
  type PostgresClient,
  inTransaction,
  isDuplicate,
  selectMembers,
} from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notFound } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import { recordRevocation } from '../tokens/store.ts';
import { type NewUser, type User, type UserUpdate, userSchema } from './schema.ts';
import { credentialsOf } from './store/credentials.ts';

export const SELECT_USER = selectMembers(userSchema);

/** The tokens of the user, because the caller must announce that their permissions have changed. */
export type UserChange = { readonly user: User; readonly tokenIds: readonly string[] };

export type Users = ReturnType<typeof createUsers>;

export type UsersOptions = {
  /** Whether deleting a user revokes the API tokens that the user created. */
  readonly doTokensEndWithCreator: boolean;
};

export function createUsers({ db, lists }: AdminPools, { doTokensEndWithCreator }: UsersOptions) {
  return {
    async list(): Promise<User[]> {
      const { rows } = await lists.query<User>(
        `select ${SELECT_USER}
         from users
         where deleted_at is null
           and not is_system
         order by id`,
      );
      return rows;
    },

    /** Any user, system actors included: a token can only belong to a user that exists. */
    async get(id: number): Promise<User> {
      const { rows } = await db.query<User>(`select ${SELECT_USER} from users where id = $1`, [id]);
      const [found] = rows;
      if (found === undefined) throw new Error(`the caller ${id} is not a user`);
      return found;
    },

    async create(user: NewUser, caller: Caller): Promise<User> {
      try {
        return await inTransaction(db, (client) => createUser(client, user, caller));
      } catch (error) {
        if (isDuplicate(error)) throw exists();
        throw error;
      }
    },

    /** The provider names whom it signs in, so nobody else does. */
    update: (id: number, update: UserUpdate, caller: Caller) =>
      change(db, id, async (client, { user: before, isSignedIn }) => {
        if (isSignedIn && (update.name ?? before.name) !== before.name)
          throw new Denial(
            'OwnedByProvider',
            'The identity provider names this user: change the name there.',
          );
        const { rows } = await client.query<User>(
          `update users
           set root_role = $2, name = coalesce($3, name)
           where id = $1
           returning ${SELECT_USER}`,
          [id, update.rootRole, update.name],
        );
        const [after = before] = rows;
        await recordEvent(client, { type: 'user-updated', caller, data: after, preData: before });
        return { user: after, tokenIds: [] };
      }),

    /**
     * Keeps the row and its names, because earlier records refer to it. Others may have the names then. Tokens, sessions and roles of
     * projects end.
     */
    delete: (id: number, caller: Caller) =>
      change(db, id, async (client, { user: before }) => {
        await deleteUser(client, before, caller);
        const tokenIds = doTokensEndWithCreator ? await revokeMadeBy(client, before, caller) : [];
        return { user: before, tokenIds };
      }),
  };
}

async function createUser(client: PostgresClient, user: NewUser, caller: Caller): Promise<User> {
  const earlier = await client.query<{ is_deleted: boolean }>(SIGNED_IN, [user.username, user.email]);
  if (earlier.rows.some(({ is_deleted }) => is_deleted))
    throw new Denial(
      'NameExistsError',
      'The identity provider signed somebody in with this name, and records keep it. Only the provider can give it again.',
    );
  const { rows } = await client.query<User>(
    `insert into users (username, email, name, root_role)
     values ($1, $2, $3, $4)
     returning ${SELECT_USER}`,
    [user.username, user.email, user.name, user.rootRole],
  );
  const [created] = rows;
  if (created === undefined) throw exists();
  await recordEvent(client, { type: 'user-created', caller, data: created });
  return created;
}

function exists(): Denial {
  return new Denial(
    'NameExistsError',
    'A user with this name or e-mail address, or an ADMIN or SCAN token with this name, already exists.',
  );
}

/**
 * Otherwise whoever makes users could act in the name of somebody whom the provider has signed in. The lock waits for somebody else who is
 * deleting that user just now.
 */
const SIGNED_IN = `
  select deleted_at is not null as is_deleted
  from users
  where issuer is not null
    and (user_name_key(username) = user_name_key($1) or user_name_key(email) = user_name_key($2))
  for share`;

async function deleteUser(client: PostgresClient, user: User, caller: Caller): Promise<void> {
  await client.query('update users set deleted_at = now() where id = $1', [user.id]);
  await client.query('delete from project_roles where user_id = $1', [user.id]);
  await client.query(
    'update personal_access_tokens set revoked_at = now() where user_id = $1 and revoked_at is null',
    [user.id],
  );
  await client.query('update sessions set revoked_at = now() where user_id = $1 and revoked_at is null', [
    user.id,
  ]);
  await recordEvent(client, { type: 'user-deleted', caller, preData: user });
}

async function revokeMadeBy(client: PostgresClient, user: User, caller: Caller): Promise<string[]> {
  const revoked = await createTokens(client).revokeMadeBy(user.id);
  for (const token of revoked) await recordRevocation(client, token, caller);
  return revoked.map(({ id }) => id);
}

type Locked = {
  readonly user: User;
  /** Whether an identity provider signs them in. */
  readonly isSignedIn: boolean;
};

/** Locks the row of a user and runs `work` on it. Adds the user's personal tokens and sessions to the tokens that `work` returns. */
function change(
  db: Postgres,
  id: number,
  work: (client: PostgresClient, before: Locked) => Promise<UserChange>,
): Promise<UserChange> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<User & { isSignedIn: boolean }>(
      `select ${SELECT_USER}, issuer is not null as "isSignedIn"
       from users
       where id = $1
         and deleted_at is null
         and not is_system
       for update`,
      [id],
    );
    const [row] = rows;
    if (row === undefined) throw notFound('There is no such user.');
    const { isSignedIn, ...user } = row;
    const credentials = await credentialsOf(client, id);
    const result = await work(client, { user, isSignedIn });
    return { user: result.user, tokenIds: [...result.tokenIds, ...credentials] };
  });
}
