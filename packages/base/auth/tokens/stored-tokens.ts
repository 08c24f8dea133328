import { randomUUID } from 'node:crypto';
import type { Postgres, PostgresClient } from '#base/postgres';
import { type ApiToken, type Creator, type NewToken, hashSecret } from '#base/tokens';
import { COLUMNS, type StoredToken, type TokenRow, toToken } from './token-rows.ts';

export type Provenance = { readonly creator?: Creator; readonly successorOf?: string };

/** API tokens in Postgres. They are found by the hash of their secret. */
export function createTokens(db: Postgres | PostgresClient) {
  return {
    /** Returns the tokens with these secret hashes, except revoked ones. The caller must check the expiry. */
    async find(secretHashes: readonly string[]): Promise<Map<string, ApiToken>> {
      const { rows } = await db.query<TokenRow & { secret_hash: string }>(
        `select secret_hash, ${COLUMNS}
         from api_tokens
         where secret_hash = any ($1)
           and revoked_at is null`,
        [secretHashes],
      );
      return new Map(rows.map((row) => [row.secret_hash, toToken(row)]));
    },

    /** Only those that were neither created nor used since a time, if it is given. */
    async list(unusedSince?: Date): Promise<StoredToken[]> {
      const { rows } = await db.query<TokenRow>(
        `select ${COLUMNS}
         from api_tokens
         where $1::timestamptz is null
            or greatest(created_at, seen_at) < $1
         order by created_at, id`,
        [unusedSince],
      );
      return rows.map(toToken);
    },

    create: insertToken.bind(undefined, db),

    /** Revokes a token and returns it; undefined if there is no such token or it is revoked already. */
    async revoke(id: string): Promise<StoredToken | undefined> {
      const { rows } = await db.query<TokenRow>(
        `update api_tokens
         set revoked_at = now()
         where id = $1
           and revoked_at is null
         returning ${COLUMNS}`,
        [id],
      );
      return rows.map(toToken)[0];
    },

    /** Revokes the tokens that a user created, and the tokens created with those. Returns them all. */
    async revokeMadeBy(userId: number): Promise<StoredToken[]> {
      const { rows } = await db.query<TokenRow>(REVOKE_MADE_BY, [userId]);
      return rows.map(toToken);
    },
  };
}

/** Stores a token and returns it; undefined if the secret exists already. */
async function insertToken(
  db: Postgres | PostgresClient,
  token: NewToken,
  { creator, successorOf }: Provenance = {},
): Promise<StoredToken | undefined> {
  const { rows } = await db.query<TokenRow>(
    `insert into api_tokens (
       id, secret_hash, token_name, type, environment, projects, expires_at, rate_limit,
       not_enabled_reasons, is_trusted, created_by, created_by_token, successor_of, origin
     )
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, (select coalesce(origin, id) from api_tokens where id = $13))
     on conflict (secret_hash) do nothing
     returning ${COLUMNS}`,
    [
      randomUUID(),
      hashSecret(token.secret),
      token.name,
      token.type,
      token.environment,
      token.projects,
      token.expiresAt === undefined ? null : new Date(token.expiresAt),
      token.rateLimit ?? null,
      token.notEnabledReasons ?? null,
      token.isTrusted ?? false,
      creator?.userId,
      creator?.tokenId,
      successorOf,
    ],
  );
  return rows.map(toToken)[0];
}

const REVOKE_MADE_BY = `
  with recursive made as (
    select id from api_tokens where created_by = $1
    union
    select t.id from api_tokens as t join made on t.created_by_token = made.id
  )
  update api_tokens
  set revoked_at = now()
  where id in (select id from made)
    and revoked_at is null
  returning ${COLUMNS}`;
