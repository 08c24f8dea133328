-- The worker inserts into these two tables only. Materialized views fan each INSERT out to the tables of counts and blocks.
-- {engine}, {on_cluster} and {database} come from the configuration, so that the same files serve a cluster.

-- Markers show which targets hold a block. A target is a table and a month, of minutes a table and a day. ClickHouse writes the entry of its
-- deduplication log and the part one after the other. A server that is killed in between keeps only one of them. It
-- then ignores a repeated INSERT that is needed, or stores it twice. So a block adds marker rows to each target. A
-- marker has no feature, and its application is the Kafka partition. It adds up the stored messages and the sums of
-- the block, by minute, by hour or by reason. `blocks` lists the markers of each block. Views hide them.

-- Blocks that hold nothing but counts go to block_rows, which has seven views. All others go to mixed_block_rows: its
-- views copy what is not a count, and one of them passes the counts on to block_rows. ClickHouse plans every view for
-- each INSERT, whether it copies a row or not. With all views on one table a block of ten rows took twice the CPU. A
-- block must always go to the same table: a token that comes the other way is a new one.

-- What only few rows have is in lists of at most one element, which cost a count nothing: 61 columns instead took two
-- fifths of the CPU of an INSERT with many keys.

create table if not exists block_rows {on_cluster}
(
{include blocks/columns_of_counts.sql}
)
engine = Null
comment 'The worker inserts blocks of counts here, one per INSERT; the table itself stores nothing';

create table if not exists mixed_block_rows {on_cluster}
(
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
        token_id String,
        series String,
        started_at UInt64,
        state Array(UInt64),
        before Array(UInt64)
    ))
        comment 'Of counters of OpenTelemetry: the columns of counter_states',

    evidence Array(Tuple(
        token_id String,
        arm String,
        metric_name String,
        metric_type String,
        exposures Int64,
        total Int128,
        observations UInt64,
        bucket_bounds Array(String),
        bucket_counts Array(UInt64)
    ))
        comment 'Of evidence: the columns of evidence_hourly',

{include blocks/columns_of_counts.sql}
)
engine = Null
comment 'The worker inserts blocks here that hold more than counts, one per INSERT; the table itself stores nothing';

create materialized view if not exists counts_of_mixed_view {on_cluster} to block_rows as
select * except (reason, refusal, metric, impact, gauge, counter, evidence)
from mixed_block_rows
where kind in ('count', 'usage_mark', 'variants_mark', 'minutes_mark', 'block');
