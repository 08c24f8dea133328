-- The worker inserts into block_rows only. Materialized views fan each INSERT out to the tables of counts and blocks.
-- {engine}, {on_cluster} and {database} come from the configuration, so that the same files serve a cluster.

-- Markers show which targets hold a block. A target is a table and a month. ClickHouse writes the entry of its
-- deduplication log and the part one after the other. A server that is killed in between keeps only one of them. It
-- then ignores a repeated INSERT that is needed, or stores it twice. So a block adds marker rows to each target. A
-- marker has no feature, and its application is the Kafka partition. It adds up the stored messages and the sums of
-- the block, by hour or by reason. `blocks` lists the markers of each block. Views hide them.

create table if not exists block_rows {on_cluster}
(
    kind Enum8(
        'count' = 1,
        'refusal' = 2,
        'block' = 3,
        'usage_mark' = 4,
        'variants_mark' = 5,
        'refusals_mark' = 6,
        'impact' = 7,
        'impact_mark' = 8,
        'gauge' = 9,
        'reason' = 10,
        'reason_mark' = 11,
        'counter' = 12
    )
        comment 'The group of columns that the row fills',

    feature_name String comment 'Feature that was evaluated, or that a refused metric named',
    app_name String comment 'Application that evaluated it',
    environment String comment 'Environment of the evaluation',
    hour DateTime('UTC') comment 'Hour of the evaluation or sample; for refusals, of the receipt',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that were added up, or evaluations with a reason',
    variants Array(String) comment 'Names of variants',
    variant_counts Array(UInt64) comment 'Evaluations of each variant',

    reason String comment 'Why the metrics were refused, or why a flag had its value',
    refused_kind String comment 'metric, application or sample',
    token_id String comment 'Token of the sender',

    topic String comment 'Kafka topic of the block',
    epoch UInt32 comment 'Increases when the topic is created again',
    partition UInt32 comment 'Kafka partition of the block',
    from_offset UInt64 comment 'First offset of the block',
    to_offset UInt64 comment 'Offset after the last of the block',
    received_from DateTime64(3, 'UTC') comment 'Earliest receipt of a batch of the block',
    received_to DateTime64(3, 'UTC') comment 'Latest receipt of a batch of the block',
    appended_to DateTime64(3, 'UTC') comment 'When Kafka stored the last message of the block',
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
    day_reports Array(UInt64) comment 'Counted metrics for each day',
    day_variants Array(UInt64) comment 'Sum of variant counts for each day',
    refusal_days Array(Date) comment 'Days (UTC) of receipt on which something was refused',
    day_refusals Array(UInt64) comment 'Refused metrics, applications and samples for each of these days',
    duplicate_batches UInt64 comment 'Repeated batches',
    batch_ids Array(String) comment 'Ids of the counted batches',
    batch_times Array(DateTime64(3, 'UTC')) comment 'Receipt of each counted batch',

    sample String comment 'Example of a refused value',
    error_type String comment 'What failed in evaluations with a reason',
    provider String comment 'The system that evaluated them; empty if the sender does not say',

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

    marks Array(String) comment 'Markers that the block adds: table and day',

    metric_name String comment 'Impact metric',
    metric_type String comment 'counter or histogram',
    label_names Array(String) comment 'Names of its labels, in order',
    label_values Array(String) comment 'Values of these labels',
    samples UInt64 comment 'Samples that were added up',
    total Int128 comment 'Sum of the values of a counter, or of the observed values of a histogram, in billionths',
    observations UInt64 comment 'Observations of a histogram',
    bucket_bounds Array(String) comment 'Upper bounds of buckets',
    bucket_counts Array(UInt64) comment 'Observations in each bucket alone',
    instance_id String comment 'Instance that sent a gauge',
    gauge_at DateTime64(3, 'UTC') comment 'Receipt of its last value',
    gauge_last Float64 comment 'Last value of a gauge',
    gauge_lowest Float64 comment 'Lowest value of a gauge',
    gauge_highest Float64 comment 'Highest value of a gauge',
    help String comment 'Explanation of the impact metric',

    series String comment 'Hash of the process, the metric and its attributes, of a counter of OpenTelemetry',
    series_started_at UInt64 comment 'When it began at 0, in microseconds',
    series_state Array(UInt64) comment 'Its value, its time, and whether it is broken',
    series_before Array(UInt64) comment 'The same before the block, and the day; empty if it was not known',

    stored_shares Array(String) comment 'Targets (table and month) that hold the block already, as usage_daily 202611: the row must not go there'
)
engine = Null
comment 'The worker inserts here, one block per INSERT; the table itself stores nothing';
