import type { Postgres } from '#base/postgres';
import { LIMITED_TYPES, type MaxTokenDays } from '#base/tokens';

/** At most so many ids are returned. */
const MAX_IDS = 1000;

/** All tokens that are neither revoked nor expired. */
const VALID = `
  select id, type, created_at, expires_at, seen_at
  from api_tokens
  where revoked_at is null
    and (expires_at is null or expires_at > now())
  union all
  select id, 'personal', created_at, expires_at, seen_at
  from personal_access_tokens
  where revoked_at is null
    and expires_at > now()`;

/** The ids of valid tokens that were neither created nor used since a time, the longest unused first. */
export async function findUnusedTokens(db: Postgres, since: Date): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `select id
     from (${VALID}) as valid
     where greatest(created_at, seen_at) < $1
     order by coalesce(seen_at, created_at), id
     limit ${MAX_IDS}`,
    [since],
  );
  return rows.map(({ id }) => id);
}

/** The ids of valid tokens that last longer than new ones may, the oldest first. */
export async function findLongLivedTokens(db: Postgres, maxDays: MaxTokenDays): Promise<string[]> {
  const limited = LIMITED_TYPES.filter((type) => maxDays[type] > 0);
  const { rows } = await db.query<{ id: string }>(
    `select id
     from (${VALID}) as valid
     join unnest($1::text[], $2::integer[]) as longest (type, days) using (type)
     where expires_at is null
        or expires_at > created_at + (days + 1) * interval '1 day'
     order by created_at, id
     limit ${MAX_IDS}`,
    [limited, limited.map((type) => maxDays[type])],
  );
  return rows.map(({ id }) => id);
}
