-- Received metrics and their outcomes. Deduplication windows and projections as in the tables of counts.

create table if not exists refusals_daily {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric, application or sample',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that it named',
    app_name String comment 'Application that it named',
    feature_name String comment 'Feature or impact metric that it named; empty beyond 100 different refusals of one batch',
    count UInt64 comment 'How many were refused',
    sample String comment 'Example of a refused value, printable and shortened'
)
engine = {engine}SummingMergeTree((count))
partition by toYYYYMM(day)
order by (day, kind, reason, token_id, environment, app_name, feature_name)
ttl day + interval 30 day
{include deduplicated.sql}
comment 'Refused metrics, applications and samples, kept for 30 days. Read refusals instead';

-- The sums of hashes show whether the blocks cover every offset once. See the view `accounting`.
create table if not exists blocks {on_cluster}
(
    topic LowCardinality(String) comment 'Kafka topic',
    epoch UInt32 comment 'Increases when the topic is created again',
    partition UInt32 comment 'Kafka partition',
    from_offset UInt64 comment 'First offset of the block' codec(Delta, ZSTD(1)),
    to_offset UInt64 comment 'Offset after the last of the block' codec(Delta, ZSTD(1)),
    stored_at DateTime64(3, 'UTC') default now64(3) comment 'When it was stored' codec(Delta, ZSTD(1)),
    received_from DateTime64(3, 'UTC') comment 'Earliest receipt of a batch of the block' codec(Delta, ZSTD(1)),
    received_to DateTime64(3, 'UTC') comment 'Latest receipt of a batch of the block' codec(Delta, ZSTD(1)),
    appended_to DateTime64(3, 'UTC') comment 'When Kafka stored the last message of the block' codec(Delta, ZSTD(1)),
    received UInt64 comment 'Metrics received',
    counted UInt64 comment 'Metrics counted',
    refused UInt64 comment 'Metrics refused',
    duplicate UInt64 comment 'Metrics of repeated batches',
    dead UInt64 comment 'Messages that could not be decoded',
    refused_reasons Array(LowCardinality(String)) comment 'Reasons of the refused metrics',
    refused_counts Array(UInt64) comment 'Metrics refused for each reason',
    days Array(Date) comment 'Days (UTC) that the block adds to',
    day_yes Array(UInt64) comment 'Sum of yes for each day',
    day_no Array(UInt64) comment 'Sum of no for each day',
    day_unknown Array(UInt64) comment 'Sum of unknown for each day',
    day_reports Array(UInt64) comment 'Counted metrics for each day',
    day_variants Array(UInt64) comment 'Sum of variant counts for each day',
    refusal_days Array(Date) comment 'Days (UTC) of receipt on which something was refused',
    day_refusals Array(UInt64) comment 'Refused metrics, applications and samples for each of these days',
    samples_received UInt64 comment 'Samples of impact metrics received',
    samples_counted UInt64 comment 'Samples counted',
    samples_refused UInt64 comment 'Samples refused',
    samples_duplicate UInt64 comment 'Samples of repeated batches',
    impact_days Array(Date) comment 'Days (UTC) to whose counters and histograms the block adds',
    day_samples Array(UInt64) comment 'Counted samples of counters and histograms for each of these days',
    day_totals Array(Int128) comment 'Sum of their values for each day, in billionths',
    day_observations Array(UInt64) comment 'Observations of histograms for each day',
    reason_days Array(Date) comment 'Days (UTC) to whose reasons the block adds',
    day_evaluations Array(UInt64) comment 'Evaluations with a reason for each of these days',
    minute_days Array(Tuple(day Date, yes UInt64, no UInt64, unknown UInt64, reports UInt64, variants UInt64)) comment 'Sums for each day (UTC) on which evaluations of the block arrived',
    spans Array(Tuple(app_name String, environment String, instance UInt64, start DateTime64(3, 'UTC'), stop DateTime64(3, 'UTC'))) comment 'Times of instances of SDKs whose counts the block has, kept two days' ttl toDateTime(stored_at) + interval 2 day,
    duplicate_batches UInt64 comment 'Repeated batches',
    batch_ids Array(String) comment 'Ids of the counted batches, kept two days' ttl toDateTime(stored_at) + interval 2 day,
    batch_times Array(DateTime64(3, 'UTC')) comment 'Receipt of each counted batch, kept two days' ttl toDateTime(stored_at) + interval 2 day,
    markers Array(LowCardinality(String)) comment 'Markers that the block added, as usage_daily 2026-11-21',

    projection sums_of_partitions
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
            sum(dead),
            sum(samples_received),
            sum(samples_counted),
            sum(samples_refused),
            sum(samples_duplicate)
        group by topic, epoch, partition
    )
)
engine = {engine}MergeTree
partition by toYYYYMM(stored_at)
order by (topic, epoch, partition, from_offset)
ttl toDateTime(stored_at) + interval 120 day
{include deduplicated_with_projections.sql}
comment 'The content of each stored block, which proves that everything received is accounted for. Kept 120 days';

create table if not exists topic_epochs {on_cluster}
(
    topic String comment 'Kafka topic',
    epoch UInt32 comment 'Its current epoch is the greatest',
    created_at DateTime('UTC') default now() comment 'When the topic was created'
)
engine = {engine}MergeTree
order by (topic, epoch)
comment 'Each creation of a topic, because it restarts the offsets';
