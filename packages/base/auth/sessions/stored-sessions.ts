import { randomUUID } from 'node:crypto';
import { type Postgres, type PostgresClient, isAhead } from '#base/postgres';
import {
  type ApiToken,
  type RootRole,
  type StoredGrant,
  type TokenUser,
  grantsOf,
  hashSecret,
} from '#base/tokens';

export type StoredSession = {
  readonly id: string;
  readonly user: TokenUser;
  readonly createdAt: Date;
  readonly seenAt: Date;
  readonly endsAt: Date;
};

type Row = {
  id: string;
  secret_hash: string;
  user_id: number;
  user_name: string;
  root_role: RootRole;
  grants: StoredGrant[] | null;
  created_at: Date;
  seen_at: Date;
  ends_at: Date;
};

/** The newest sessions of a user; older ones end when another begins. */
const MAX_SESSIONS = 20;
/** A use within a minute of the last look-up is not recorded (token-verifier.ts). */
const UNRECORDED_MS = 60_000;
/** Ended sessions stay for a while, so that the log can name them. */
const KEPT = '1 day';

export type NewSession = {
  readonly userId: number;
  readonly secret: string;
  /** How long it lasts at most. */
  readonly maxMs: number;
  /** The ID token of the provider, encrypted with the secret. */
  readonly sealedIdToken?: Uint8Array | undefined;
};

/** The id of the new session, and those of the sessions that end. */
type Started = { readonly id: string; readonly ended: readonly string[] };

const COLUMNS = `
  s.id, s.secret_hash, s.user_id, coalesce(u.email, u.username) as user_name, u.root_role, g.grants, s.created_at,
  s.seen_at, s.ends_at`;

/**
 * Whether a session has neither ended nor been revoked. `$1` are the milliseconds after which an unused one ends. One that began or was used
 * in the future did so while the clock was ahead, so nobody knows when it ends, and it has ended.
 */
const IS_OPEN = `
  s.revoked_at is null
  and s.ends_at > now()
  and s.seen_at > now() - $1 * interval '1 millisecond'
  and greatest(s.created_at, s.seen_at) <= now() + interval '1 minute'
  and u.deleted_at is null`;

/** Sessions of people in Postgres. They are found by the hash of their secret. A session ends `idleMs` after its last use. */
export function createSessions(db: Postgres | PostgresClient, idleMs: number) {
  const unseenMs = idleMs + UNRECORDED_MS;
  return {
    /** Returns the open sessions with these secret hashes as tokens, and records that they are in use. */
    async find(secretHashes: readonly string[]): Promise<Map<string, ApiToken>> {
      const { rows } = await db.query<Row>(FIND, [unseenMs, secretHashes]);
      return new Map(rows.map((row) => [row.secret_hash, toToken(row)]));
    },

    /** The open sessions of a user, or of all users, the latest use first; at most 1,000. */
    async list(userId?: number): Promise<StoredSession[]> {
      const { rows } = await db.query<Row>(
        `select ${COLUMNS}
         from sessions as s
         join users as u on u.id = s.user_id
         left join user_grants as g on g.user_id = u.id
         where ${IS_OPEN}
           and ($2::integer is null or s.user_id = $2)
         order by s.seen_at desc, s.id
         limit 1000`,
        [unseenMs, userId],
      );
      return rows.map(toSession);
    },

    /** Stores a new session. The oldest sessions of the user beyond MAX_SESSIONS end, and first those that began in the future. */
    start: (session: NewSession): Promise<Started> => start(db, session),

    /** Ends a session, of this user if one is named. Returns its id as it is stored; undefined if there is no such open session. */
    async revoke(id: string, userId?: number): Promise<string | undefined> {
      const { rows } = await db.query<{ id: string }>(
        `update sessions
         set revoked_at = now()
         where id = $1
           and ($2::integer is null or user_id = $2)
           and revoked_at is null
           and ends_at > now()
         returning id`,
        [id, userId],
      );
      return rows[0]?.id;
    },

    /** Ends all sessions, of this user if one is named, and returns their ids. */
    async revokeAll(userId?: number): Promise<string[]> {
      const { rows } = await db.query<{ id: string }>(
        `update sessions
         set revoked_at = now()
         where ($1::integer is null or user_id = $1)
           and revoked_at is null
         returning id`,
        [userId],
      );
      return rows.map(({ id }) => id);
    },

    /** Deletes sessions that ended long ago. */
    async purge(): Promise<void> {
      await db.query(PURGE, [unseenMs]);
    },
  };
}

/** It skips rows that another process is writing, which are in use anyway. */
const FIND = `
  with used as (
    update sessions
    set seen_at = now()
    where id in (
      select s.id
      from sessions as s
      join users as u on u.id = s.user_id
      where s.secret_hash = any ($2)
        and ${IS_OPEN}
      for no key update of s skip locked
    )
  )
  select ${COLUMNS}
  from sessions as s
  join users as u on u.id = s.user_id
  left join user_grants as g on g.user_id = u.id
  where s.secret_hash = any ($2)
    and ${IS_OPEN}`;

const PURGE = `
  delete from sessions
  where ends_at < now() - interval '${KEPT}'
    or revoked_at < now() - interval '${KEPT}'
    or seen_at < now() - interval '${KEPT}' - $1 * interval '1 millisecond'`;

async function start(db: Postgres | PostgresClient, session: NewSession): Promise<Started> {
  const { userId, secret, maxMs, sealedIdToken } = session;
  const id = randomUUID();
  await db.query(
    `insert into sessions (id, user_id, secret_hash, ends_at, sealed_id_token)
     values ($1, $2, $3, now() + $4 * interval '1 millisecond', $5)`,
    [id, userId, hashSecret(secret), maxMs, sealedIdToken],
  );
  const { rows } = await db.query<{ id: string }>(
    `update sessions
     set revoked_at = now()
     where revoked_at is null
       and id in (
         select id
         from sessions
         where user_id = $1
         order by ${isAhead('created_at')}, created_at desc, id
         offset $2
       )
     returning id`,
    [userId, MAX_SESSIONS],
  );
  return { id, ended: rows.map((row) => row.id) };
}

function toSession(row: Row): StoredSession {
  return {
    id: row.id,
    user: {
      id: row.user_id,
      name: row.user_name,
      role: row.root_role,
      grants: grantsOf(row.grants ?? []),
    },
    createdAt: row.created_at,
    seenAt: row.seen_at,
    endsAt: row.ends_at,
  };
}

/** Its user made it, by signing in. */
function toToken(row: Row): ApiToken {
  const { id, user, endsAt } = toSession(row);
  return {
    id,
    name: 'session',
    type: 'session',
    environment: '*',
    projects: [],
    expiresAt: endsAt.getTime(),
    user,
    createdBy: { userId: user.id, tokenId: undefined },
  };
}
