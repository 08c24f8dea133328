import type { PostgresClient } from '#base/postgres';
import { COLUMNS, type StoredToken, type TokenRow, toToken } from './token-rows.ts';

export type ReplacedToken = {
  readonly token: StoredToken;
  /** The latest token that was to replace it, in any state. */
  readonly successor: StoredToken | undefined;
};

/** Locks a token until the end of the transaction, and returns it; undefined if it is unknown or revoked. */
export async function lockToken(client: PostgresClient, id: string): Promise<ReplacedToken | undefined> {
  const locked = await client.query<TokenRow>(
    `select ${COLUMNS}
     from api_tokens
     where id = $1
       and revoked_at is null
     for update`,
    [id],
  );
  const [token] = locked.rows.map(toToken);
  if (token === undefined) return undefined;
  const { rows } = await client.query<TokenRow>(
    `select ${COLUMNS}
     from api_tokens
     where successor_of = $1
     order by created_at desc, id
     limit 1`,
    [id],
  );
  return { token, successor: rows.map(toToken)[0] };
}

/** Lets a token end at this time, unless it ends earlier. Returns it. */
export async function endToken(
  client: PostgresClient,
  id: string,
  at: Date,
): Promise<StoredToken | undefined> {
  const { rows } = await client.query<TokenRow>(
    `update api_tokens
     set expires_at = least(expires_at, $2)
     where id = $1
     returning ${COLUMNS}`,
    [id, at],
  );
  return rows.map(toToken)[0];
}
