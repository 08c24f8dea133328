import type { PostgresClient } from '#postgres';

/**
 * Marks features that Unleash no longer has among the active ones, by what its events say last of each: archived, or deleted. Without
 * such an event a feature vanished, unless it was archived before. A feature that vanished counts as archived, and stays.
 */
export async function markGone(client: PostgresClient, names: readonly string[]): Promise<void> {
  await client.query(
    `update features as f
     set archived_at = coalesce(f.archived_at, case when last.type = 'feature-archived' then last.created_at end, now()),
         vanished_at = case
           when last.type = 'feature-deleted' then coalesce(f.vanished_at, now())
           when last.type = 'feature-archived' then null
           when f.archived_at is null then now()
           else f.vanished_at
         end
     from unnest($1::text[]) as gone (name)
     left join lateral (
       select e.type, e.created_at
       from events as e
       where e.feature_name = gone.name
         and e.source = 'unleash'
         and e.type in ('feature-archived', 'feature-deleted', 'feature-revived', 'feature-created')
       order by e.created_at desc, e.id desc
       limit 1
     ) as last on true
     where f.name = gone.name
       and f.source = 'unleash'`,
    [names],
  );
  // Archived before it was ever seen here: only the list of archived features knows it.
  await client.query(
    `update unleash_sync
     set archived_read = 0, are_archived_read = false
     where exists (
       select
       from unnest($1::text[]) as gone (name)
       where not exists (select from features as f where f.name = gone.name)
         and (
           select e.type
           from events as e
           where e.feature_name = gone.name
             and e.source = 'unleash'
             and e.type in ('feature-archived', 'feature-deleted')
           order by e.created_at desc, e.id desc
           limit 1
         ) = 'feature-archived'
     )`,
    [names],
  );
}
