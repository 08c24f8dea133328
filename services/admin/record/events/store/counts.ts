import type { Postgres } from '#base/postgres';

/** Fewer rows than this are not folded; readers add them up. */
const FEW_ROWS = 100;

/**
 * Folds the rows of `event_counts`. Each statement that writes events adds one row. Several processes may fold at once: each
 * folds only rows that no other has locked.
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
