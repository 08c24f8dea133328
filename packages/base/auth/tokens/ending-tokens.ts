import type { Postgres } from '#base/postgres';
import type { MaxTokenDays } from '#base/tokens';

/** Subscribers hear of a token this many days before its end, once for each number. */
export const WARNED_DAYS = [14, 3] as const;

export type EndingToken = {
  readonly id: string;
  readonly type: keyof MaxTokenDays;
  readonly expiresAt: Date;
};

/** The valid tokens `t` of a table. A replaced one ends as planned, so it is left out unless it is used a day after that. */
const endingIn = (table: string, type: string) => `
  select t.id, ${type} as type, t.expires_at
  from ${table} as t
  where t.revoked_at is null
    and t.expires_at > now()
    and not exists (
      select
      from api_tokens as s
      where s.successor_of = t.id
        and s.revoked_at is null
        and coalesce(t.seen_at, '-infinity') < s.created_at + interval '1 day'
    )`;

const ENDING = `${endingIn('api_tokens', 't.type')} union all ${endingIn('personal_access_tokens', "'personal'")}`;

/** At most 1,000 tokens that end within the first of the days, the next one first. */
export async function findEndingTokens(db: Postgres): Promise<EndingToken[]> {
  const { rows } = await db.query<{ id: string; type: EndingToken['type']; expires_at: Date }>(
    `select id, type, expires_at
     from (${ENDING}) as ending
     where expires_at <= now() + $1 * interval '1 day'
     order by expires_at, id
     limit 1000`,
    [WARNED_DAYS[0]],
  );
  return rows.map(({ id, type, expires_at: expiresAt }) => ({ id, type, expiresAt }));
}

/**
 * Writes a cause of notifications for each token that ends in so many days, once for each of the days. A token that does not last longer than
 * that is left out.
 */
export async function warnOfEndingTokens(db: Postgres): Promise<void> {
  await db.query(WARN, [WARNED_DAYS]);
}

/** Notes for the due tokens `t` of a table that they are warned of. */
const markWarned = (table: string) => `
    update ${table} as t
    set warned_days = due.days
    from due
    where t.id = due.id
      and t.expires_at > t.created_at + due.days * interval '1 day'
      and (t.warned_days is null or t.warned_days > due.days)`;

const WARN = `
  with due as (
    select ending.id, min(days) as days
    from (${ENDING}) as ending
    join unnest($1::smallint[]) as days on ending.expires_at <= now() + days * interval '1 day'
    group by ending.id
  ),
  api as (
    ${markWarned('api_tokens')}
    returning t.id, t.type, t.token_name as name, t.environment, t.expires_at, t.seen_at, null::integer as user_id
  ),
  personal as (
    ${markWarned('personal_access_tokens')}
    returning t.id, 'personal' as type, t.description as name, null as environment, t.expires_at, t.seen_at, t.user_id
  ),
  warned as (
    select * from api
    union all
    select * from personal
  )
  insert into notification_causes (kind, type, environment, data)
  select
    'token-ending',
    w.type,
    nullif(w.environment, '*'),
    jsonb_build_object(
      'tokenId', w.id,
      'tokenName', w.name,
      'user', coalesce(u.email, u.username),
      'expiresAt', to_char(w.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      'seenAt', to_char(w.seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    )
  from warned as w
  left join users as u on u.id = w.user_id
  order by w.expires_at, w.id`;
