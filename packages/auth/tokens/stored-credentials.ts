import type { Postgres } from '#postgres';

/** A token as a log names it. */
export type StoredCredential = {
  readonly id: string;
  readonly state: 'valid' | 'expired' | 'revoked';
  /** The user of a personal token. */
  readonly userId: number | undefined;
};

type Row = { id: string; state: StoredCredential['state']; user_id: number | null };

const STATE = `
  case
    when revoked_at is not null then 'revoked'
    when expires_at <= now() then 'expired'
    else 'valid'
  end as state`;

/** Finds any API token or personal token, also one that is no longer valid. */
export async function findCredential(
  db: Postgres,
  secretHash: string,
): Promise<StoredCredential | undefined> {
  const { rows } = await db.query<Row>(
    `select id, ${STATE}, null as user_id
     from api_tokens
     where secret_hash = $1
     union all
     select id, ${STATE}, user_id
     from personal_access_tokens
     where secret_hash = $1`,
    [secretHash],
  );
  const [row] = rows;
  return row && { id: row.id, state: row.state, userId: row.user_id ?? undefined };
}
