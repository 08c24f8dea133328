import type { Postgres } from '#postgres';

/** Fewer rows are added up by whoever reads them. */
const FEW_ROWS = 100;

/**
 * Adds up the rows of `event_counts`, of which each statement that writes events adds one. Several processes may do it at
 * once: each adds up what no other holds.
 */
export async function foldEventCounts(db: Postgres): Promise<void> {
  await db.query(
    `with folded as (
       delete from event_counts
       where id in (select id from event_counts order by id for update skip locked)
         and (select count(*) from event_counts) > ${FEW_ROWS}
       returning count
     )
     insert into event_counts (count)
     select sum(count)
     from folded
     having count(*) > 0`,
  );
}
