import type { World } from '../../../world.ts';

/** How many statements in the world's database wait for a lock. */
export async function countBlocked({ db }: Pick<World, 'db'>): Promise<number> {
  const { rows } = await db.query<{ blocked: number }>(
    `select count(*)::int as blocked
     from pg_stat_activity
     where datname = current_database()
       and wait_event_type = 'Lock'`,
  );
  return rows[0]?.blocked ?? 0;
}
