-- The last values of counters that OpenTelemetry adds up from their start: the worker counts the difference to the next value.
-- Blocks store them beside their counts. Repeated rows change nothing, so this table has no markers.

-- A block has a row for each counter that it changes, with the state before the block. So a worker can build the block again in the same
-- way, even if part of it is stored. `flagmeter replay` needs the last state of each day.
create table if not exists counter_states {on_cluster}
(
    topic LowCardinality(String) comment 'Kafka topic',
    partition UInt32 comment 'Kafka partition',
    epoch UInt32 comment 'Increases when the topic is created again',
    day Date comment 'Day (UTC) of the block, by the clock of Kafka',
    token_id LowCardinality(String) comment 'API token that sends the counter',
    series String comment 'Hash of the process, the metric and its attributes; empty in the row of all that the token had to make room for',
    started_at UInt64 comment 'When the counter began at 0, in microseconds; 0 without a series',
    last SimpleAggregateFunction(max, Tuple(to_offset UInt64, from_offset UInt64, state Array(UInt64), before Array(UInt64))) comment 'The block, and before and after it: the value (without a series: the latest start of a forgotten counter), its time, whether it is broken, and the block that wrote it (ms); empty if the counter is not known'
)
engine = {engine}AggregatingMergeTree
order by (topic, partition, epoch, day, token_id, series, started_at)
ttl day + interval 100 day
{include deduplicated.sql}
comment 'Last values of counters of OpenTelemetry, which the worker continues; kept 100 days';

create materialized view if not exists counter_states_view {on_cluster} to counter_states as
select
    c.topic as topic,
    c.partition as partition,
    c.epoch as epoch,
    toDate(hour) as day,
    c.token_id as token_id,
    c.series as series,
    c.started_at as started_at,
    (c.to_offset, c.from_offset, c.state, c.before)::Tuple(to_offset UInt64, from_offset UInt64, state Array(UInt64), before Array(UInt64)) as last
from mixed_block_rows
array join counter as c
where kind = 'counter';
