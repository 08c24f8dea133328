-- The worker inserts into block_rows only. Materialized views fan each INSERT out to the tables of counts and blocks.
-- {engine}, {on_cluster} and {database} come from the configuration, so that the same files serve a cluster.

-- Markers show which targets hold a block. A target is a table and a month. ClickHouse writes the entry of its
-- deduplication log and the part one after the other. A server that is killed in between keeps only one of them. It
-- then ignores a repeated INSERT that is needed, or stores it twice. So a block adds marker rows to each target. A
-- marker has no feature, and its application is the Kafka partition. It adds up the stored messages and the sums of
-- the block, by hour or by reason. `blocks` lists the markers of each block. Views hide them.

-- Nearly all rows are counts. What only other rows have is in lists of at most one element, which cost a count nothing:
-- 61 columns instead took two fifths of the CPU of an INSERT with many keys.

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
        comment 'What the row holds, and so which views copy it',

    feature_name String comment 'Feature that was evaluated, or that a refused metric named',
    app_name String comment 'Application that evaluated it',
    environment String comment 'Environment of the evaluation',
    hour DateTime('UTC') comment 'Hour of the evaluation or sample; for refusals, second of the receipt',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that were added up, or evaluations with a reason',
    variants Array(String) comment 'Names of variants',
    variant_counts Array(UInt64) comment 'Evaluations of each variant',

    reason Array(Tuple(reason String, error_type String, provider String))
        comment 'Of reasons: why a flag had its value, what failed, and the system that evaluated it',

    refusal Array(Tuple(kind String, reason String, token_id String, sample String))
        comment 'Of refusals: metric, application or sample, why it was refused, who sent it, and an example of a value',

    metric Array(Tuple(
        name String,
        type String,
        label_names Array(String),
        label_values Array(String),
        help String
    ))
        comment 'Of samples: the impact metric with its labels',

    impact Array(Tuple(
        samples UInt64,
        total Int128,
        observations UInt64,
        bucket_bounds Array(String),
        bucket_counts Array(UInt64)
    ))
        comment 'Of counters and histograms: sums as in impact_hourly, the total in whole billionths',

    gauge Array(Tuple(
        instance_id String,
        at DateTime64(3, 'UTC'),
        last Float64,
        lowest Float64,
        highest Float64
    ))
        comment 'Of gauges: the instance, the receipt of its last value, and its values',

    counter Array(Tuple(
        topic String,
        epoch UInt32,
        partition UInt32,
        from_offset UInt64,
        to_offset UInt64,
        series String,
        started_at UInt64,
        state Array(UInt64),
        before Array(UInt64)
    ))
        comment 'Of counters of OpenTelemetry: the columns of counter_states',

    block Array(Tuple(
        topic String,
        epoch UInt32,
        partition UInt32,
        from_offset UInt64,
        to_offset UInt64,
        received_from DateTime64(3, 'UTC'),
        received_to DateTime64(3, 'UTC'),
        appended_to DateTime64(3, 'UTC'),
        received UInt64,
        counted UInt64,
        refused UInt64,
        duplicate UInt64,
        dead UInt64,
        refused_reasons Array(String),
        refused_counts Array(UInt64),
        days Array(Date),
        day_yes Array(UInt64),
        day_no Array(UInt64),
        day_reports Array(UInt64),
        day_variants Array(UInt64),
        refusal_days Array(Date),
        day_refusals Array(UInt64),
        samples_received UInt64,
        samples_counted UInt64,
        samples_refused UInt64,
        samples_duplicate UInt64,
        impact_days Array(Date),
        day_samples Array(UInt64),
        day_totals Array(Int128),
        day_observations Array(UInt64),
        reason_days Array(Date),
        day_evaluations Array(UInt64),
        duplicate_batches UInt64,
        batch_ids Array(String),
        batch_times Array(DateTime64(3, 'UTC')),
        marks Array(String)
    ))
        comment 'Of blocks: the columns of the table blocks',

    stored_shares Array(String) comment 'Targets (table and month) that hold the block already, as usage_daily 202611: the row must not go there'
)
engine = Null
comment 'The worker inserts here, one block per INSERT; the table itself stores nothing';
