-- The books without looking at each block: all offsets are covered once if, but for the first start and the last end, the starts
-- are the ends. Sums of their hashes tell (two wrongs would agree once in 2^64), and are stored with the other sums; gaps
-- and overlaps are counted in partitions where they differ.

alter table blocks {on_cluster} drop projection if exists of_partitions;

alter table blocks {on_cluster}
    add projection if not exists sums_of_partitions
    (
        select
            topic,
            epoch,
            partition,
            count(),
            min(from_offset),
            max(to_offset),
            sum(cityHash64(from_offset)),
            sum(cityHash64(to_offset)),
            sum(received),
            sum(counted),
            sum(refused),
            sumMap(refused_reasons, refused_counts),
            sum(duplicate),
            sum(dead)
        group by topic, epoch, partition
    );

alter table blocks {on_cluster} materialize projection sums_of_partitions settings mutations_sync = 0;

create or replace view accounting {on_cluster}
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
    gaps,
    overlaps,
    toBool(
        gaps = 0
        and overlaps = 0
        and received = counted + refused + duplicate + dead
        and refused = arraySum(mapValues(refused_by_reason))
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
        sum(b.dead) as dead
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
    where (topic, epoch, partition) in (
        select topic, epoch, partition
        from blocks as p
        group by topic, epoch, partition
        having sum(cityHash64(p.from_offset)) - cityHash64(min(p.from_offset))
            != sum(cityHash64(p.to_offset)) - cityHash64(max(p.to_offset))
    )
    group by topic, epoch, partition
) as o using (topic, epoch, partition)
settings join_use_nulls = 0
comment 'What was received and what became of it, per partition, as the stored blocks tell it';
