import type { Postgres } from '#base/postgres';

/** A token as a log names it. */
export type StoredCredential = {
  readonly id: string;
  readonly state: 'valid' | 'expired' | 'revoked';
  /** The user of a personal token or session. */
  readonly userId: number | undefined;
};

type Row = { id: string; state: StoredCredential['state']; user_id: number | null };

const stateBy = (end: string) => `
  case
    when revoked_at is not null then 'revoked'
    when ${end} <= now() then 'expired'
    else 'valid'
  end as state`;

/** Finds any API token, personal token or session, also one that is no longer valid. */
export async function findCredential(
  db: Postgres,
  secretHash: string,
): Promise<StoredCredential | undefined> {
  const { rows } = await db.query<Row>(
    `select id, ${stateBy('expires_at')}, null as user_id
     from api_tokens
     where secret_hash = $1
     union all
     select id, ${stateBy('expires_at')}, user_id
     from personal_access_tokens
     where secret_hash = $1
     union all
     select id, ${stateBy('ends_at')}, user_id
     from sessions
     where secret_hash = $1`,
    [secretHash],
  );
  const [row] = rows;
  return row && { id: row.id, state: row.state, userId: row.user_id ?? undefined };
}
