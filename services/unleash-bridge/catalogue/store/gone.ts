import type { PostgresClient } from '#base/postgres';

/**
 * Marks features that are no longer active in Unleash. The last event of each feature decides: archived or deleted. Without
 * such an event the feature has vanished, unless it was archived before. A vanished feature stays here and counts as archived.
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
  // Features archived before the first copy: only the list of archived features has them.
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
