import type { PostgresClient } from '#base/postgres';

/** The ids of the personal tokens and sessions of a user, which hold the name and the role of the user. */
export async function credentialsOf(client: PostgresClient, userId: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `select id from personal_access_tokens where user_id = $1 and revoked_at is null
     union all
     select id from sessions where user_id = $1 and revoked_at is null`,
    [userId],
  );
  return rows.map(({ id }) => id);
}
