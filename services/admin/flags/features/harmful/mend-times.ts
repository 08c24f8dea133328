import { type Postgres, isAhead } from '#base/postgres';

/**
 * A configuration that came into force tomorrow, by a clock that was ahead, came into force now. Guards watch a configuration from then on, and
 * would do nothing until tomorrow.
 */
export async function mendTimes(db: Postgres): Promise<void> {
  await db.query(`
    with ahead as (
      update feature_environments
      set changed_at = now()
      where ${isAhead('changed_at')}
      returning feature_name, environment
    )
    update past_configurations as p
    set valid_from = least(p.valid_from, now()), valid_to = now(), revision = gen_random_uuid()
    from ahead
    where p.feature_name = ahead.feature_name
      and p.environment = ahead.environment
      and p.valid_to > now()`);
}
