import { createSessions } from '#base/auth';
import { type Postgres, type PostgresClient, inTransaction, isDuplicate } from '#base/postgres';
import { type Caller, type RootRole, SYSTEM } from '#base/tokens';
import { recordDone } from '../../record/audit/store/record-entry.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { ProjectRole } from '../roles/schema.ts';
import { writeGroupRoles } from '../roles/store/group-roles.ts';
import type { User } from '../users/schema.ts';
import { SELECT_USER } from '../users/store.ts';
import { credentialsOf } from '../users/store/credentials.ts';
import type { Person } from './rules.ts';
import { openIdToken, sealIdToken } from './store/id-token.ts';

/** What the groups of a person give. */
export type Roles = { readonly role: RootRole; readonly projectRoles: readonly ProjectRole[] };

export type SignIn = Roles & {
  readonly person: Person;
  /** Of the new session. */
  readonly secret: string;
  /** With which the provider signed the person in. */
  readonly idToken: string | undefined;
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

type NameTaken = Pick<SignedIn, 'changed'> & { readonly isNameTaken: true };
type TooOften = Pick<SignedIn, 'changed'> & { readonly isTooOften: true };

export type SignIns = ReturnType<typeof createSignIns>;

/** Of one person. */
const MAX_IN_AN_HOUR = 100;

type Ends = { readonly idleMs: number; readonly maxMs: number };

/** Users and sessions of people whom an identity provider knows. */
export function createSignIns(db: Postgres, { idleMs, maxMs }: Ends) {
  return {
    /**
     * Creates or updates the user with this issuer and subject, and begins a session, in one transaction. `isNameTaken`: another
     * user has the e-mail address or name. We never connect the two, because the provider may have given the address to a
     * stranger. There is no session then, but a known person has the roles of their groups, because these may be fewer. The same
     * holds after too many sign-ins: each adds to the audit, which is kept.
     */
    async begin({
      person,
      secret,
      idToken,
      address,
      ...roles
    }: SignIn): Promise<SignedIn | NameTaken | TooOften> {
      try {
        return await inTransaction(db, async (client) => {
          const user = await keepUser(client, { person, role: roles.role, address });
          const given = await giveRoles(client, { user, address, ...roles });
          if (await isTooOften(client, user.after)) return { isTooOften: true, changed: given.changed };
          const session = {
            userId: user.after.id,
            secret,
            maxMs,
            sealedIdToken: sealIdToken(idToken, secret),
          };
          const started = await createSessions(client, idleMs).start(session);
          recordDone(client, withSession(actorOf(user.after, address), started.id), {
            event: 'signed-in',
            after: { userId: user.after.id, role: roles.role },
          });
          const changed = [...given.changed, ...started.ended];
          return { user: user.after, sessionId: started.id, changed, ignored: given.ignored };
        });
      } catch (error) {
        if (!isDuplicate(error)) throw error;
        return { isNameTaken: true, changed: await changeRoles(db, { person, address, ...roles }) };
      }
    },

    /** Ends all roles that groups gave to a person, and all sessions, because no group lets them in. Returns what has changed. */
    end: (person: Person, address: string): Promise<readonly string[]> =>
      changeRoles(db, { person, address, ...NO_ROLES }, async (client, user) => {
        const ids = await createSessions(client, idleMs).revokeAll(user.id);
        recordDone(client, actorOf(user, address), {
          event: 'sessions-ended',
          before: { userId: user.id, ids },
        });
        return ids;
      }),

    /** The ID token with which this session began; undefined if it is not kept, or if the secret is of another session. */
    async findIdToken(sessionId: string, secret: string): Promise<string | undefined> {
      const { rows } = await db.query<{ sealed_id_token: Buffer | null }>(
        'select sealed_id_token from sessions where id = $1',
        [sessionId],
      );
      const sealed = rows[0]?.sealed_id_token ?? undefined;
      return sealed && openIdToken(sealed, secret);
    },
  };
}

async function isTooOften(client: PostgresClient, { id }: User): Promise<boolean> {
  const { rows } = await client.query<{ sessions: number }>(
    `select count(*)::integer as sessions
     from sessions
     where user_id = $1
       and created_at between now() - interval '1 hour' and now() + interval '1 minute'`,
    [id],
  );
  return (rows[0]?.sessions ?? 0) >= MAX_IN_AN_HOUR;
}

const NO_ROLES: Roles = { role: 'None', projectRoles: [] };

type Changing = Roles & Pick<SignIn, 'person' | 'address'>;

/** Changes the roles of a person and nothing else, if there is such a user. `then` adds to what has changed. */
function changeRoles(
  db: Postgres,
  { person, address, ...roles }: Changing,
  then: (client: PostgresClient, user: User) => Promise<readonly string[]> = () => Promise.resolve([]),
): Promise<readonly string[]> {
  return inTransaction(db, async (client) => {
    const before = await lockUser(client, person);
    if (before === undefined) return [];
    const { email, username, name } = before;
    const user = await updateUser(client, before, { email, username, name, role: roles.role, address });
    const ended = await then(client, user.after);
    const { changed } = await giveRoles(client, { user, address, ...roles });
    return [...changed, ...ended];
  });
}

type Giving = Roles & { readonly user: Kept; readonly address: string };
type Given = Pick<SignedIn, 'changed' | 'ignored'>;

/** Tokens hold the name and the roles of their user, so processes must look them up again after a change. */
async function giveRoles(client: PostgresClient, { user, address, projectRoles }: Giving): Promise<Given> {
  const { after, isChanged } = user;
  const written = await writeGroupRoles(client, { person: actorOf(after, address), roles: projectRoles });
  const changed = isChanged || written.isChanged ? await credentialsOf(client, after.id) : [];
  return { changed, ignored: written.ignored };
}

/** Whom the audit names. flagmeter itself changes users, because the provider says so, and their events say that. */
function actorOf(user: User, address: string): Caller {
  return {
    userId: user.id,
    tokenId: undefined,
    role: user.rootRole,
    name: nameOf(user),
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

type Kept = { readonly after: User; readonly isChanged: boolean };

type Keeping = Pick<SignIn, 'person' | 'role' | 'address'>;

async function keepUser(client: PostgresClient, { person, role, address }: Keeping): Promise<Kept> {
  const { issuer, subject, email, name } = person;
  const username = email === undefined ? person.username : undefined;
  const inserted = await client.query<User>(
    `insert into users (issuer, subject, email, username, name, root_role)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (issuer, subject) where deleted_at is null do nothing
     returning ${SELECT_USER}`,
    [issuer, subject, email, username, name, role],
  );
  const [created] = inserted.rows;
  if (created !== undefined) {
    const actor = actorOf(created, address);
    await recordEvent(client, { type: 'user-created', caller: SYSTEM, actor, data: created });
    return { after: created, isChanged: false };
  }
  const before = await lockUser(client, person);
  if (before === undefined) throw new Error('the user was deleted during the sign-in');
  return updateUser(client, before, { email, username, name, role, address });
}

async function lockUser(
  client: PostgresClient,
  { issuer, subject }: Pick<Person, 'issuer' | 'subject'>,
): Promise<User | undefined> {
  const { rows } = await client.query<User>(
    `select ${SELECT_USER} from users where issuer = $1 and subject = $2 and deleted_at is null for update`,
    [issuer, subject],
  );
  return rows[0];
}

type Update = {
  readonly email: string | null | undefined;
  readonly username: string | null | undefined;
  readonly name: string | null | undefined;
  readonly role: RootRole;
  readonly address: string;
};

async function updateUser(client: PostgresClient, before: User, update: Update): Promise<Kept> {
  const { rows } = await client.query<User>(
    `update users
     set email = $2, username = $3, name = coalesce($4, name), root_role = $5
     where id = $1
     returning ${SELECT_USER}`,
    [before.id, update.email, update.username, update.name, update.role],
  );
  const [after = before] = rows;
  if (JSON.stringify(after) === JSON.stringify(before)) return { after: before, isChanged: false };
  const actor = actorOf(after, update.address);
  await recordEvent(client, { type: 'user-updated', caller: SYSTEM, actor, data: after, preData: before });
  return { after, isChanged: true };
}
