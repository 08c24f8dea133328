-- Refusals, the check of the accounting, and the retention of each table.

create view if not exists refusals {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric, application or sample',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that the sender named, printable',
    app_name String comment 'Application that the sender named, printable',
    feature_name String comment 'Feature or impact metric that the sender named, printable; names are left out after 100 different refusals of a batch, or of a token in a block',
    count UInt64 comment 'How many were refused',
    sample String comment 'The refused value of one of them, printable and shortened',
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    day,
    kind,
    reason,
    token_id,
    environment,
    app_name,
    feature_name,
    sum(r.count) as count,
    max(r.sample) as sample,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from refusals_daily as r
where kind != ''
group by day, kind, reason, token_id, environment, app_name, feature_name
comment 'Refused metrics, applications and samples of impact metrics, with the reason and an example';

-- The blocks cover every offset once if, in order, each block starts at the end of the one before. Only the sets of
-- starts and ends matter, not which end belongs to which start. Without the first start and the last end, both sets
-- must be equal. The view compares the stored sums of their hashes (two errors cancel out once in 2^64). Only if the
-- sums differ does it count gaps and overlaps.
-- The first block of an epoch begins at 0. Blocks are kept for more than 88 days, so this holds for younger epochs only.
create view if not exists accounting {on_cluster}
(
    topic LowCardinality(String) comment 'Kafka topic',
    epoch UInt32 comment 'Increases when the topic is created again',
    partition UInt32 comment 'Kafka partition',
    blocks UInt64 comment 'Stored blocks',
    from_offset UInt64 comment 'First offset of the first block',
    to_offset UInt64 comment 'Offset after the last of the last block',
    received UInt64 comment 'Metrics received; a message that could not be decoded counts as one',
    counted UInt64 comment 'Metrics counted',
    refused UInt64 comment 'Metrics refused',
    refused_by_reason Map(String, UInt64) comment 'Metrics refused for each reason',
    duplicate UInt64 comment 'Metrics of repeated batches',
    dead UInt64 comment 'Messages that could not be decoded',
    samples_received UInt64 comment 'Samples of impact metrics received',
    samples_counted UInt64 comment 'Samples counted',
    samples_refused UInt64 comment 'Samples refused',
    samples_duplicate UInt64 comment 'Samples of repeated batches',
    gaps UInt64 comment 'Blocks that begin behind the end of the one before; in topics younger than 88 days, also the first one if it begins behind 0',
    overlaps UInt64 comment 'Blocks that begin before the end of the one before',
    is_balanced Bool comment 'No gap, no overlap, and received = counted + refused + duplicate + dead, for metrics and for samples'
)
definer = current_user sql security definer
as select
    s.topic as topic,
    s.epoch as epoch,
    s.partition as partition,
    blocks,
    from_offset,
    to_offset,
    received,
    counted,
    refused,
    refused_by_reason,
    duplicate,
    dead,
    samples_received,
    samples_counted,
    samples_refused,
    samples_duplicate,
    o.gaps + toUInt64(s.from_offset > 0 and (s.topic, s.epoch) global in (
        select topic, epoch
        from topic_epochs
        where created_at > now() - interval 88 day
    )) as gaps,
    overlaps,
    toBool(
        gaps = 0
        and overlaps = 0
        and received = counted + refused + duplicate + dead
        and refused = arraySum(mapValues(refused_by_reason))
        and samples_received = samples_counted + samples_refused + samples_duplicate
    ) as is_balanced
from (
    select
        topic,
        epoch,
        partition,
        count() as blocks,
        min(b.from_offset) as from_offset,
        max(b.to_offset) as to_offset,
        sum(b.received) as received,
        sum(b.counted) as counted,
        sum(b.refused) as refused,
        cast(sumMap(b.refused_reasons, b.refused_counts), 'Map(String, UInt64)') as refused_by_reason,
        sum(b.duplicate) as duplicate,
        sum(b.dead) as dead,
        sum(b.samples_received) as samples_received,
        sum(b.samples_counted) as samples_counted,
        sum(b.samples_refused) as samples_refused,
        sum(b.samples_duplicate) as samples_duplicate
    from blocks as b
    group by topic, epoch, partition
) as s
left join (
    select
        topic,
        epoch,
        partition,
        arrayPopFront(arraySort(groupArray(b.from_offset))) as starts,
        arrayPopBack(arraySort(groupArray(b.to_offset))) as ends,
        toUInt64(arrayCount((start, end) -> start > end, starts, ends)) as gaps,
        toUInt64(arrayCount((start, end) -> start < end, starts, ends)) as overlaps
    from blocks as b
    where (topic, epoch, partition) global in (
        select topic, epoch, partition
        from blocks as p
        group by topic, epoch, partition
        having sum(cityHash64(p.from_offset)) - cityHash64(min(p.from_offset))
            != sum(cityHash64(p.to_offset)) - cityHash64(max(p.to_offset))
    )
    group by topic, epoch, partition
) as o using (topic, epoch, partition)
settings join_use_nulls = 0
comment 'Received metrics and their outcomes per partition, according to the stored blocks';

-- Finds the tables of a view in the definition of the view. A name that begins with a dot is that of a table within a
-- view.
create view if not exists retention {on_cluster}
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
where t.database = {database} and t.engine like '%MergeTree' and not startsWith(t.name, '.')
comment 'The stored days and rows of each table, read from its parts on disk';
