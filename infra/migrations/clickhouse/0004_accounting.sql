-- A sample for each refusal, and the books as a view.

-- Columns come last, and the worker names those that it fills: the one of before goes on counting during an update.
alter table block_rows {on_cluster}
    add column if not exists sample String comment 'Example of what was refused';

alter table refusals_daily {on_cluster}
    add column if not exists sample String comment 'Example of what was refused, made displayable and cut; empty if received before samples were kept';

alter table refusals_daily_view {on_cluster} modify query
select
    toDate(hour) as day,
    refused_kind as kind,
    reason,
    token_id,
    environment,
    app_name,
    feature_name,
    reports as count,
    sample
from block_rows
where block_rows.kind = 'refusal';

create or replace view refusals {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric or application',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that it named, made displayable',
    app_name String comment 'Application that it named, made displayable',
    feature_name String comment 'Feature that it named, made displayable; names are left out beyond 100 different refusals of a batch, and of a token in a block',
    count UInt64 comment 'How many were refused',
    sample String comment 'What one of them was refused for, made displayable and cut',
    is_complete Bool comment 'Whether the day is over'
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
group by day, kind, reason, token_id, environment, app_name, feature_name
comment 'What was received and not counted, with the reason and a sample';

create view if not exists accounting {on_cluster}
(
    topic LowCardinality(String) comment 'Kafka topic',
    epoch UInt32 comment 'Grows when the topic is created anew',
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
    gaps UInt64 comment 'Blocks that begin behind the end of the one before',
    overlaps UInt64 comment 'Blocks that begin before the end of the one before',
    is_balanced Bool comment 'No gap, no overlap, and received = counted + refused + duplicate + dead'
)
definer = current_user sql security definer
as select
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
    countIf(b.from_offset > b.previous_to) as gaps,
    countIf(b.from_offset < b.previous_to) as overlaps,
    toBool(
        gaps = 0
        and overlaps = 0
        and received = counted + refused + duplicate + dead
        and refused = arraySum(mapValues(refused_by_reason))
    ) as is_balanced
from (
    select *, lagInFrame(to_offset, 1, from_offset) over (
        partition by topic, epoch, partition
        order by from_offset, to_offset
        rows between 1 preceding and current row
    ) as previous_to
    from blocks
) as b
group by topic, epoch, partition
comment 'What was received and what became of it, per partition, as the stored blocks tell it';
