-- Verdicts on all features in a quarter of the time. Which applications evaluate a feature, and whether one of them ever told of
-- more variants than evaluations, is written down with each block instead of looked for in a month of days; sums over
-- hours and days are grouped by what the projections are grouped by; and what has nothing to do with one another is not joined.

create table if not exists feature_app_seen_states {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    first_hour SimpleAggregateFunction(min, DateTime('UTC')) comment 'Hour of its first evaluation',
    last_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Hour of its last evaluation',
    excess_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Last hour of which a block told of more variants than evaluations; 1970 if none did'
)
engine = {engine}AggregatingMergeTree
order by (feature_name, environment, app_name)
ttl last_hour + interval 25 month
settings non_replicated_deduplication_window = 20000, replicated_deduplication_window = 20000
comment 'When each application evaluated each feature first and last, kept as long as days';

create materialized view if not exists feature_app_seen_view {on_cluster} to feature_app_seen_states as
select
    feature_name,
    environment,
    app_name,
    hour as first_hour,
    hour as last_hour,
    if(arraySum(variant_counts) > yes + no, hour, toDateTime(0, 'UTC')) as excess_hour
from block_rows
where kind = 'count';

-- What was counted before: to the day, and of the last two days to the hour.

insert into feature_app_seen_states (feature_name, environment, app_name, first_hour, last_hour)
select feature_name, environment, app_name, toDateTime(min(day), 'UTC'), toDateTime(max(day), 'UTC')
from usage_daily
where feature_name != ''
group by feature_name, environment, app_name;

insert into feature_app_seen_states (feature_name, environment, app_name, first_hour, last_hour)
select feature_name, environment, app_name, min(hour), max(hour)
from usage_hourly
where feature_name != '' and hour >= toDate(now('UTC')) - 1
group by feature_name, environment, app_name;

insert into feature_app_seen_states (feature_name, environment, app_name, first_hour, last_hour, excess_hour)
select feature_name, environment, app_name, toDateTime(min(day), 'UTC') as first, toDateTime(max(day), 'UTC') as last, last
from (
    select feature_name, environment, app_name, day
    from (
        select feature_name, environment, app_name, day, v.count as of_variants, 0 as of_usage
        from variants_daily as v
        where feature_name != '' and day >= today() - 30
        union all
        select feature_name, environment, app_name, day, 0, u.yes + u.no
        from usage_daily as u
        where day >= today() - 30
          and feature_name in (select feature_name from variants_daily where day >= today() - 30)
    )
    group by feature_name, environment, app_name, day
    having sum(of_variants) > sum(of_usage)
)
group by feature_name, environment, app_name;

-- A block that tells of more variants than evaluations tells so of an hour of an application, so only features of which one
-- did can have too many of a day.

create or replace view feature_verdicts_at {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    verdict String comment 'always_on, always_off, silent, new, unknown, called_while_off, called_while_archived, cliff, drift, dead_variant, sum_check or archive_evidence',
    since DateTime('UTC') comment 'Since when it is so, as far as was looked: often the start of the hours or days that were looked at',
    evaluations UInt64 comment 'Evaluations that it was judged by; of always_on and always_off the greatest is the hottest: clean it first',
    value Float64 comment 'What was measured',
    threshold Float64 comment 'What it was compared with',
    subject String comment 'Variants of dead_variant, application of sum_check, nearest known name of unknown; else empty',
    sentence String comment 'Why, in one sentence'
)
definer = current_user sql security definer
as with
    {at:DateTime('UTC')} as at,
    {constant_days:UInt32} as constant_days,
    {constant_evaluations:UInt64} as constant_evaluations,
    {silent_days:UInt32} as silent_days,
    {new_days:UInt32} as new_days,
    {called_evaluations:UInt64} as called_evaluations,
    {cliff_hours:UInt32} as cliff_hours,
    {cliff_share:Float64} as cliff_share,
    {cliff_evaluations:UInt64} as cliff_evaluations,
    {drift_hours:UInt32} as drift_hours,
    {drift_index:Float64} as drift_index,
    {drift_evaluations:UInt64} as drift_evaluations,
    {dead_days:UInt32} as dead_days,
    {dead_evaluations:UInt64} as dead_evaluations,
{include feature_verdicts.sql}
comment 'Verdicts as of a moment, with thresholds: feature_verdicts_at(at = now(), constant_days = 30, ...)';

-- A view of its own, and not a call of the other: of a view with parameters ClickHouse looks through the text twice, which takes longer
-- than the answer for one feature.

create or replace view feature_verdicts {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    verdict String comment 'always_on, always_off, silent, new, unknown, called_while_off, called_while_archived, cliff, drift, dead_variant, sum_check or archive_evidence',
    since DateTime('UTC') comment 'Since when it is so, as far as was looked: often the start of the hours or days that were looked at',
    evaluations UInt64 comment 'Evaluations that it was judged by; of always_on and always_off the greatest is the hottest: clean it first',
    value Float64 comment 'What was measured',
    threshold Float64 comment 'What it was compared with',
    subject String comment 'Variants of dead_variant, application of sum_check, nearest known name of unknown; else empty',
    sentence String comment 'Why, in one sentence'
)
definer = current_user sql security definer
as with
    now('UTC') as at,
    30::UInt32 as constant_days,
    1000::UInt64 as constant_evaluations,
    7::UInt32 as silent_days,
    7::UInt32 as new_days,
    100::UInt64 as called_evaluations,
    6::UInt32 as cliff_hours,
    0.5::Float64 as cliff_share,
    1000::UInt64 as cliff_evaluations,
    12::UInt32 as drift_hours,
    0.2::Float64 as drift_index,
    1000::UInt64 as drift_evaluations,
    7::UInt32 as dead_days,
    100::UInt64 as dead_evaluations,
{include feature_verdicts.sql}
comment 'What the counts say of each feature in each environment, with the usual thresholds';
