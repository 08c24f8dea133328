import type { Postgres, PostgresClient } from '#base/postgres';
import {
  ADMIN_TOKEN_USER_ID,
  type Actor,
  type Identity,
  type RootRole,
  type StoredGrant,
  callerOf,
  grantsOf,
} from '#base/tokens';
import { COLUMNS, type TokenRow, toToken } from './token-rows.ts';

/** What somebody may do now, or why nothing any more. */
export type Standing = { readonly actor: Actor } | { readonly gone: string };

/** Who has set something up, and the personal token that was sent for it. */
export type SetUpBy = Identity & { readonly personalToken: string | undefined };

/**
 * Finds what a user or an API token may do now: nothing, if the personal token is revoked that was sent at the time. Whatever flagmeter does
 * later on behalf of somebody asks this at that moment, because people leave and roles change.
 */
export async function findStanding(db: Postgres | PostgresClient, by: SetUpBy): Promise<Standing> {
  const { userId, tokenId, personalToken } = by;
  // All ADMIN tokens share one user, who is an Admin, so a token that nobody knows may do nothing.
  return userId === ADMIN_TOKEN_USER_ID
    ? standingOfToken(db, tokenId)
    : standingOfUser(db, userId, personalToken);
}

async function standingOfToken(
  db: Postgres | PostgresClient,
  tokenId: string | undefined,
): Promise<Standing> {
  const { rows } = await db.query<TokenRow>(`select ${COLUMNS} from api_tokens where id = $1`, [tokenId]);
  const [token] = rows.map(toToken);
  const actor = token && callerOf(token);
  if (token === undefined || actor === undefined) return { gone: 'the token does not exist any more' };
  if (token.revokedAt !== undefined) return { gone: 'the token was revoked' };
  return (token.expiresAt ?? Infinity) <= Date.now() ? { gone: 'the token has expired' } : { actor };
}

type UserRow = {
  root_role: RootRole;
  deleted_at: Date | null;
  grants: StoredGrant[] | null;
  is_token_revoked: boolean;
};

async function standingOfUser(
  db: Postgres | PostgresClient,
  userId: number,
  personalToken: string | undefined,
): Promise<Standing> {
  const { rows } = await db.query<UserRow>(
    `select
       u.root_role, u.deleted_at, g.grants,
       exists (select from personal_access_tokens where id = $2 and revoked_at is not null) as is_token_revoked
     from users as u
     left join user_grants as g on g.user_id = u.id
     where u.id = $1`,
    [userId, personalToken],
  );
  const [user] = rows;
  if (user === undefined || user.deleted_at !== null) return { gone: 'the user was deleted' };
  if (user.is_token_revoked) return { gone: 'the personal token that was used for it was revoked' };
  const grants = grantsOf(user.grants ?? []);
  return { actor: { userId, tokenId: undefined, role: user.root_role, grants } };
}
