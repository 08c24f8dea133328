import type { Postgres } from '#base/postgres';
import type { Caller } from '#base/tokens';

export type WriteLimits = { readonly writes: number; readonly bytes: number };

/** Limits how much a user may store per day, over all processes. A day begins with the first write after the previous day ended. */
export function createDailyWrites(db: Postgres, limits: WriteLimits) {
  return {
    /** Counts one write. If it exceeds the limit, returns the milliseconds until the next day. Admins and API tokens have no limit. */
    async count({ userId, tokenId, role }: Caller, bytes: number): Promise<number | undefined> {
      if (role === 'Admin' || tokenId !== undefined) return undefined;
      const { rowCount } = await db.query(COUNT, [userId, bytes, limits.writes, limits.bytes]);
      return rowCount === 1 ? undefined : untilNextDay(db, userId);
    },
  };
}

/** A day that begins in the future, because the clock was ahead, is over too. */
const IS_OVER = `(known.began_at <= now() - interval '1 day' or known.began_at > now())`;

/** A separate statement, so that no transaction holds a lock on the row of its caller. */
const COUNT = `
  insert into daily_writes as known (user_id, began_at, writes, bytes)
  values ($1, now(), 1, $2::bigint)
  on conflict (user_id) do update
  set
    began_at = case when ${IS_OVER} then excluded.began_at else known.began_at end,
    writes = case when ${IS_OVER} then 0 else known.writes end + 1,
    bytes = case when ${IS_OVER} then 0 else known.bytes end + excluded.bytes
  where ${IS_OVER}
    or (known.writes < $3 and known.bytes + excluded.bytes <= $4)`;

async function untilNextDay(db: Postgres, userId: number): Promise<number> {
  const { rows } = await db.query<{ ms: number }>(
    `select extract(epoch from began_at + interval '1 day' - now())::float8 * 1000 as ms
     from daily_writes
     where user_id = $1`,
    [userId],
  );
  return Math.max(0, rows[0]?.ms ?? 0);
}
