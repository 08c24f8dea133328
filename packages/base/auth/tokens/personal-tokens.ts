import type { Postgres } from '#base/postgres';
import { type ApiToken, type RootRole, type StoredGrant, grantsOf } from '#base/tokens';

type Row = {
  id: string;
  description: string;
  expires_at: Date;
  secret_hash: string;
  user_id: number;
  user_name: string;
  root_role: RootRole;
  grants: StoredGrant[] | null;
  created_by: number | null;
  created_by_token: string | null;
};

/** Returns the personal tokens with these secret hashes, except revoked ones, and their users. The caller must check the expiry. */
export async function findPersonalTokens(
  db: Postgres,
  secretHashes: readonly string[],
): Promise<Map<string, ApiToken>> {
  const { rows } = await db.query<Row>(
    `select
       t.id, t.secret_hash, t.description, t.expires_at, t.user_id,
       coalesce(u.email, u.username) as user_name, u.root_role, g.grants, t.created_by, t.created_by_token
     from personal_access_tokens as t
     join users as u on u.id = t.user_id
     left join user_grants as g on g.user_id = u.id
     where t.secret_hash = any ($1)
       and t.revoked_at is null
       and u.deleted_at is null`,
    [secretHashes],
  );
  return new Map(rows.map((row) => [row.secret_hash, toToken(row)]));
}

function toToken(row: Row): ApiToken {
  return {
    id: row.id,
    name: row.description,
    type: 'personal',
    environment: '*',
    projects: [],
    expiresAt: row.expires_at.getTime(),
    user: {
      id: row.user_id,
      name: row.user_name,
      role: row.root_role,
      grants: grantsOf(row.grants ?? []),
    },
    createdBy:
      row.created_by === null
        ? undefined
        : { userId: row.created_by, tokenId: row.created_by_token ?? undefined },
  };
}
