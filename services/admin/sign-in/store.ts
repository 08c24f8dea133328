import { createSessions } from '#auth';
import { type Postgres, type PostgresClient, inTransaction, isDuplicate } from '#postgres';
import { type Caller, type RootRole, SYSTEM, hashSecret } from '#tokens';
import { recordDone } from '../audit/store/record-entry.ts';
import { recordEvent } from '../events/store/record-event.ts';
import type { ProjectRole } from '../roles/schema.ts';
import { writeGroupRoles } from '../roles/store/group-roles.ts';
import { createSessionsStore } from '../sessions/store.ts';
import type { User } from '../users/schema.ts';
import { USER_COLUMNS, type UserRow, toUser } from '../users/store.ts';
import { credentialsOf } from '../users/store/credentials.ts';
import type { Person } from './rules.ts';

export type SignIn = {
  readonly person: Person;
  readonly role: RootRole;
  readonly projectRoles: readonly ProjectRole[];
  /** Of the new session. */
  readonly secret: string;
  /** Of the session that the browser had before; it ends. */
  readonly oldSecret: string | undefined;
  /** Of the browser. */
  readonly address: string;
};

/** `changed` are tokens and sessions that processes must look up again, `ignored` roles that cannot be given. */
export type SignedIn = {
  readonly user: User;
  readonly sessionId: string;
  readonly changed: readonly string[];
  readonly ignored: readonly ProjectRole[];
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
    async begin({
      person,
      role,
      projectRoles,
      secret,
      oldSecret,
      address,
    }: SignIn): Promise<SignedIn | 'name taken'> {
      try {
        return await inTransaction(db, async (client) => {
          const sessions = createSessions(client, idleMs);
          const { user, changed } = await keepUser(client, { person, role, address });
          const actor = actorOf(user, address);
          const written = await writeGroupRoles(client, { person: actor, roles: projectRoles });
          const held = written.isChanged ? await credentialsOf(client, user.id) : changed;
          const ended = oldSecret === undefined ? [] : await endSession(client, oldSecret);
          const started = await sessions.start({ userId: user.id, secret, maxMs });
          recordDone(client, withSession(actor, started.id), {
            event: 'signed-in',
            after: { userId: user.id, role },
          });
          const { ignored } = written;
          return { user, sessionId: started.id, changed: [...held, ...ended, ...started.ended], ignored };
        });
      } catch (error) {
        if (isDuplicate(error)) return 'name taken';
        throw error;
      }
    },

    /** Ends all sessions of a person who has no role any more, and the roles that groups gave. Returns what has changed. */
    async end({ issuer, subject }: Person, address: string): Promise<string[]> {
      const { rows } = await db.query<UserRow>(
        `select ${USER_COLUMNS} from users where issuer = $1 and subject = $2`,
        [issuer, subject],
      );
      const [user] = rows.map(toUser);
      if (user === undefined) return [];
      const actor = actorOf(user, address);
      const ended = await createSessionsStore(db, idleMs).revokeAll(user.id, actor);
      const held = await inTransaction(db, async (client) => {
        await writeGroupRoles(client, { person: actor, roles: [] });
        return credentialsOf(client, user.id);
      });
      return [...ended, ...held];
    },
  };
}

/** Whom the audit names. flagmeter itself changes users, because the provider says so, and their events say that. */
function actorOf(user: User, address: string): Caller {
  return {
    ...{ userId: user.id, tokenId: undefined, role: user.rootRole, name: nameOf(user) },
    request: { operation: 'signIn', address, parameters: {} },
  };
}

function withSession(actor: Caller, id: string): Caller {
  const createdBy = { userId: actor.userId, tokenId: undefined };
  return { ...actor, token: { id, type: 'session', createdBy } };
}

function nameOf({ email, username }: User): string {
  return email ?? username ?? '';
}

type Kept = { readonly user: User; readonly changed: readonly string[] };

type Keeping = Pick<SignIn, 'person' | 'role' | 'address'>;

async function keepUser(client: PostgresClient, { person, role, address }: Keeping): Promise<Kept> {
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
    const actor = actorOf(created, address);
    await recordEvent(client, { type: 'user-created', caller: SYSTEM, actor, data: created });
    return { user: created, changed: [] };
  }
  const known = await client.query<UserRow>(
    `select ${USER_COLUMNS} from users where issuer = $1 and subject = $2 for update`,
    [issuer, subject],
  );
  const before = known.rows.map(toUser)[0];
  if (before === undefined) throw new Error('the user was deleted during the sign-in');
  return updateUser(client, before, { email, username, name, role, address });
}

type Update = {
  readonly email: string | undefined;
  readonly username: string | undefined;
  readonly name: string | undefined;
  readonly role: RootRole;
  readonly address: string;
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
  const actor = actorOf(after, update.address);
  await recordEvent(client, { type: 'user-updated', caller: SYSTEM, actor, data: after, preData: before });
  return { user: after, changed: await credentialsOf(client, before.id) };
}

async function endSession(client: PostgresClient, secret: string): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'update sessions set revoked_at = now() where secret_hash = $1 and revoked_at is null returning id',
    [hashSecret(secret)],
  );
  return rows.map(({ id }) => id);
}
