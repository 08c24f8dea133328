-- Adds up the tables of all shards.
create view if not exists retention
(
    table_name String comment 'Base table',
    read_as Array(String) comment 'Views that read it',
    oldest Nullable(Date) comment 'First day (UTC) of its oldest data; none while it is empty',
    newest Nullable(Date) comment 'Last day (UTC) of its newest data; none while it is empty',
    stored_rows UInt64 comment 'Rows on disk, before sums are merged',
    stored_bytes UInt64 comment 'Bytes on disk, compressed',
    kept String comment 'The rule by which rows are deleted; empty if they are kept for ever'
)
definer = current_user sql security definer
as select
    r.table_name as table_name,
    any(r.read_as) as read_as,
    min(r.oldest) as oldest,
    max(r.newest) as newest,
    sum(r.stored_rows) as stored_rows,
    sum(r.stored_bytes) as stored_bytes,
    any(r.kept) as kept
from retention_of_shards as r
group by table_name
comment 'The stored days and rows of each table, read from its parts on disk'
