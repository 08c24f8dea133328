-- Counts of evaluations. The worker inserts into block_rows only; views fan each INSERT out to the tables below.
-- Every table that is filled has its own deduplication window: without one, a repeated INSERT would count twice.
-- {engine}, {on_cluster} and {database} come from the configuration, so that the same files serve a cluster.

create table if not exists block_rows {on_cluster}
(
    kind Enum8('count' = 1, 'refusal' = 2, 'block' = 3) comment 'Which of the groups of columns below is filled',

    feature_name String comment 'Feature that was evaluated, or that a refused metric named',
    app_name String comment 'Application that evaluated it',
    environment String comment 'Environment of the evaluation',
    hour DateTime('UTC') comment 'Hour of the evaluation; for refusals, of the receipt',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that were added up',
    variants Array(String) comment 'Names of variants',
    variant_counts Array(UInt64) comment 'Evaluations of each variant',

    reason String comment 'Why the metrics were refused',
    refused_kind String comment 'metric or application',
    token_id String comment 'Token of the sender',

    topic String comment 'Kafka topic of the block',
    epoch UInt32 comment 'Grows when the topic is created anew',
    partition UInt32 comment 'Kafka partition of the block',
    from_offset UInt64 comment 'First offset of the block',
    to_offset UInt64 comment 'Offset after the last of the block',
    received_from DateTime64(3, 'UTC') comment 'Earliest receipt of a batch of the block',
    received_to DateTime64(3, 'UTC') comment 'Latest receipt of a batch of the block',
    received UInt64 comment 'Metrics received',
    counted UInt64 comment 'Metrics counted',
    refused UInt64 comment 'Metrics refused',
    duplicate UInt64 comment 'Metrics of repeated batches',
    dead UInt64 comment 'Messages that could not be decoded',
    refused_reasons Array(String) comment 'Reasons of the refused metrics',
    refused_counts Array(UInt64) comment 'Metrics refused for each reason',
    days Array(Date) comment 'Days (UTC) that the block adds to',
    day_yes Array(UInt64) comment 'Sum of yes for each day',
    day_no Array(UInt64) comment 'Sum of no for each day',
    day_variants Array(UInt64) comment 'Sum of variant counts for each day',
    duplicate_batches UInt64 comment 'Repeated batches',
    batch_ids Array(String) comment 'Ids of the counted batches',
    batch_times Array(DateTime64(3, 'UTC')) comment 'Receipt of each counted batch'
)
engine = Null
comment 'What the worker inserts, one block per INSERT; stores nothing itself';

create table if not exists usage_hourly {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    hour DateTime('UTC') comment 'Start of the hour of the evaluation',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that were added up; never 0, so that no row vanishes'
)
engine = {engine}SummingMergeTree((yes, no, reports))
partition by toYYYYMM(hour)
order by (feature_name, environment, app_name, hour)
ttl hour + interval 90 day
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'Sums per hour, kept 90 days. Read usage_by_hour instead';

create table if not exists usage_daily {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    day Date comment 'Day (UTC) of the evaluation',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that were added up; never 0, so that no row vanishes'
)
engine = {engine}SummingMergeTree((yes, no, reports))
partition by toYYYYMM(day)
order by (feature_name, environment, app_name, day)
ttl day + interval 25 month
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'Sums per day, kept 25 months. Read usage_by_day instead';

create table if not exists variants_hourly {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    hour DateTime('UTC') comment 'Start of the hour of the evaluation',
    count UInt64 comment 'Evaluations that were served the variant'
)
engine = {engine}SummingMergeTree((count))
partition by toYYYYMM(hour)
order by (feature_name, environment, app_name, variant, hour)
ttl hour + interval 90 day
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'Variant sums per hour, kept 90 days. Read variants_by_hour instead';

create table if not exists variants_daily {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    day Date comment 'Day (UTC) of the evaluation',
    count UInt64 comment 'Evaluations that were served the variant'
)
engine = {engine}SummingMergeTree((count))
partition by toYYYYMM(day)
order by (feature_name, environment, app_name, variant, day)
ttl day + interval 25 month
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'Variant sums per day, kept 25 months. Read variants_by_day instead';

create table if not exists feature_seen_states {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    first_hour SimpleAggregateFunction(min, DateTime('UTC')) comment 'Hour of the first evaluation',
    last_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Hour of the last evaluation'
)
engine = {engine}AggregatingMergeTree
order by (feature_name, environment)
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'When each feature was evaluated first and last. Read feature_seen instead';

create table if not exists app_seen_states {on_cluster}
(
    app_name LowCardinality(String) comment 'Application that evaluated features',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    first_hour SimpleAggregateFunction(min, DateTime('UTC')) comment 'Hour of its first evaluation',
    last_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Hour of its last evaluation'
)
engine = {engine}AggregatingMergeTree
order by (app_name, environment)
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'When each application reported first and last. Read app_seen instead';

create table if not exists refusals_daily {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric or application',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that it named',
    app_name String comment 'Application that it named',
    feature_name String comment 'Feature that it named; empty beyond 100 different refusals of one batch',
    count UInt64 comment 'How many were refused'
)
engine = {engine}SummingMergeTree((count))
partition by toYYYYMM(day)
order by (day, kind, reason, token_id, environment, app_name, feature_name)
ttl day + interval 30 day
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'What was received and not counted, kept 30 days. Read refusals instead';

create table if not exists blocks {on_cluster}
(
    topic LowCardinality(String) comment 'Kafka topic',
    epoch UInt32 comment 'Grows when the topic is created anew',
    partition UInt32 comment 'Kafka partition',
    from_offset UInt64 comment 'First offset of the block',
    to_offset UInt64 comment 'Offset after the last of the block',
    stored_at DateTime64(3, 'UTC') default now64(3) comment 'When it was stored',
    received_from DateTime64(3, 'UTC') comment 'Earliest receipt of a batch of the block',
    received_to DateTime64(3, 'UTC') comment 'Latest receipt of a batch of the block',
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
    day_variants Array(UInt64) comment 'Sum of variant counts for each day',
    duplicate_batches UInt64 comment 'Repeated batches',
    batch_ids Array(String) comment 'Ids of the counted batches, kept two days' ttl toDateTime(stored_at) + interval 2 day,
    batch_times Array(DateTime64(3, 'UTC')) comment 'Receipt of each counted batch, kept two days' ttl toDateTime(stored_at) + interval 2 day
)
engine = {engine}MergeTree
partition by toYYYYMM(stored_at)
order by (topic, epoch, partition, from_offset)
ttl toDateTime(stored_at) + interval 120 day
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'What each stored block held: the proof that everything received is accounted for. Kept 120 days';

create table if not exists topic_epochs {on_cluster}
(
    topic String comment 'Kafka topic',
    epoch UInt32 comment 'Its current epoch is the greatest',
    created_at DateTime('UTC') default now() comment 'When the topic was created'
)
engine = {engine}MergeTree
order by (topic, epoch)
comment 'How often a topic was created: its offsets begin again each time';
