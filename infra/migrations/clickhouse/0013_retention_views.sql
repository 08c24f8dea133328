-- The retention names every view that reads a table, as the definitions of the views say, instead of the first one of each.

create or replace view retention {on_cluster}
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
    t.name as table_name,
    v.read_as as read_as,
    if(p.stored_rows > 0 and p.newest > toDate(0), p.oldest, null) as oldest,
    if(p.stored_rows > 0 and p.newest > toDate(0), p.newest, null) as newest,
    p.stored_rows as stored_rows,
    p.stored_bytes as stored_bytes,
    extract(t.engine_full, ' TTL (.*?)(?: SETTINGS |$)') as kept
from system.tables as t
left join (
    select
        table,
        min(if(min_time > toDateTime(0), toDate(min_time), min_date)) as oldest,
        max(if(max_time > toDateTime(0), toDate(max_time), max_date)) as newest,
        sum(rows) as stored_rows,
        sum(bytes_on_disk) as stored_bytes
    from system.parts
    where database = {database} and active
    group by table
) as p on p.table = t.name
left join (
    select read_table, arraySort(groupArray(name)) as read_as
    from system.tables
    array join arrayDistinct(extractAll(as_select, '(?:FROM|JOIN) (?:\\w+|`[^`]+`)\\.(\\w+)')) as read_table
    where database = {database} and engine = 'View'
    group by read_table
) as v on v.read_table = t.name
where t.database = {database} and t.engine like '%MergeTree'
comment 'What is really stored of each table, read from its parts on disk';
