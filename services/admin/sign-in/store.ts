import { createSessions } from '#auth';
import { type Postgres, type PostgresClient, inTransaction, isDuplicate } from '#postgres';
import { type Caller, type RootRole, SYSTEM, hashSecret } from '#tokens';
import { recordDone } from '../audit/store/record-entry.ts';
import { recordEvent } from '../events/store/record-event.ts';
import { createSessionsStore } from '../sessions/store.ts';
import type { User } from '../users/schema.ts';
import { USER_COLUMNS, type UserRow, toUser } from '../users/store.ts';
import { credentialsOf } from '../users/store/credentials.ts';
import type { Person } from './rules.ts';

export type SignIn = {
  readonly person: Person;
  readonly role: RootRole;
  /** Of the new session. */
  readonly secret: string;
  /** Of the session that the browser had before; it ends. */
  readonly oldSecret: string | undefined;
  /** Of the browser. */
  readonly address: string;
};

/** `changed` are tokens and sessions that processes must look up again. */
export type SignedIn = {
  readonly user: User;
  readonly sessionId: string;
  readonly changed: readonly string[];
};

export type SignIns = ReturnType<typeof createSignIns>;

type Ends = { readonly idleMs: number; readonly maxMs: number };

/** Users and sessions of people whom an identity provider knows. */
export function createSignIns(db: Postgres, { idleMs, maxMs }: Ends) {
  return {
    /**
     * Creates or updates the user with this issuer and subject, and begins a session, in one transaction. `name taken`: another
     * user has the e-mail address or name. We never connect the two, because the provider may have given the address to a stranger.
     */
    async begin({ person, role, secret, oldSecret, address }: SignIn): Promise<SignedIn | 'name taken'> {
      try {
        return await inTransaction(db, async (client) => {
          const sessions = createSessions(client, idleMs);
          const { user, changed } = await keepUser(client, { person, role, caller: ownCaller(address) });
          const ended = oldSecret === undefined ? [] : await endSession(client, oldSecret);
          const started = await sessions.start({ userId: user.id, secret, maxMs });
          const caller = callerOf({ user, role, sessionId: started.id, address });
          recordDone(client, caller, { event: 'signed-in', after: { userId: user.id, role } });
          return { user, sessionId: started.id, changed: [...changed, ...ended, ...started.ended] };
        });
      } catch (error) {
        if (isDuplicate(error)) return 'name taken';
        throw error;
      }
    },

    /** Ends all sessions of a person who has no role any more. Returns their ids. */
    async end({ issuer, subject }: Person, address: string): Promise<string[]> {
      const { rows } = await db.query<{ id: number }>(
        'select id from users where issuer = $1 and subject = $2',
        [issuer, subject],
      );
      const sessions = createSessionsStore(db, idleMs);
      return (await Promise.all(rows.map(({ id }) => sessions.revokeAll(id, ownCaller(address))))).flat();
    },
  };
}

function requestOf(address: string) {
  return { operation: 'signIn', address, parameters: {} };
}

/** flagmeter itself changes users, because the provider says so. */
function ownCaller(address: string): Caller {
  return { ...SYSTEM, request: requestOf(address) };
}

type SignedInUser = Omit<SignedIn, 'changed'> & Pick<SignIn, 'role' | 'address'>;

function callerOf({ user, role, sessionId, address }: SignedInUser): Caller {
  const token = {
    id: sessionId,
    type: 'session',
    createdBy: { userId: user.id, tokenId: undefined },
  } as const;
  const name = user.email ?? user.username ?? '';
  return { userId: user.id, tokenId: undefined, role, name, token, request: requestOf(address) };
}

type Kept = { readonly user: User; readonly changed: readonly string[] };

type Keeping = Pick<SignIn, 'person' | 'role'> & { readonly caller: Caller };

async function keepUser(client: PostgresClient, { person, role, caller }: Keeping): Promise<Kept> {
  const { issuer, subject, email, name } = person;
  const username = email === undefined ? person.username : undefined;
  const inserted = await client.query<UserRow>(
    `insert into users (issuer, subject, email, username, name, root_role)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (issuer, subject) do nothing
     returning ${USER_COLUMNS}`,
    [issuer, subject, email, username, name, role],
  );
  const created = inserted.rows.map(toUser)[0];
  if (created !== undefined) {
    await recordEvent(client, { type: 'user-created', caller, data: created });
    return { user: created, changed: [] };
  }
  const known = await client.query<UserRow>(
    `select ${USER_COLUMNS} from users where issuer = $1 and subject = $2 for update`,
    [issuer, subject],
  );
  const before = known.rows.map(toUser)[0];
  if (before === undefined) throw new Error('the user was deleted during the sign-in');
  return updateUser(client, before, { email, username, name, role, caller });
}

type Update = {
  readonly email: string | undefined;
  readonly username: string | undefined;
  readonly name: string | undefined;
  readonly role: RootRole;
  readonly caller: Caller;
};

/** Tokens hold the name and the role of their user, so processes must look them up again after a change. */
async function updateUser(client: PostgresClient, before: User, update: Update): Promise<Kept> {
  const { rows } = await client.query<UserRow>(
    `update users
     set email = $2, username = $3, name = coalesce($4, name), root_role = $5
     where id = $1
     returning ${USER_COLUMNS}`,
    [before.id, update.email, update.username, update.name, update.role],
  );
  const after = rows.map(toUser)[0] ?? before;
  if (JSON.stringify(after) === JSON.stringify(before)) return { user: before, changed: [] };
  await recordEvent(client, { type: 'user-updated', caller: update.caller, data: after, preData: before });
  return { user: after, changed: await credentialsOf(client, before.id) };
}

async function endSession(client: PostgresClient, secret: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'update sessions set revoked_at = now() where secret_hash = $1 and revoked_at is null returning id',
    [hashSecret(secret)],
  );
  return rows.map(({ id }) => id);
}
