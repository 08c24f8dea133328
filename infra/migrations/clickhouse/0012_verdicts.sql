-- Verdicts on features and applications, each with a sentence that explains it. Only complete hours and days count.
-- feature_verdicts_at and app_verdicts_at take the moment and the thresholds as parameters. The views without _at use
-- the default thresholds. A filter on the feature uses the index of each table.
-- Two settings make planning cheaper, because planning dominates the time of a query for one feature. The search for
-- chains of comparisons finds none and took 80 ms. The tables of a parallel join took 15 ms to set up for a few rows.

create view if not exists feature_verdicts_at {on_cluster}
(
{include verdicts/feature_verdict_columns.sql}
    sentence String comment 'Explanation in one sentence'
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
    {harmful_chance:Float64} as harmful_chance,
{include verdicts/feature_verdicts.sql}
settings join_use_nulls = 0, join_algorithm = 'hash', optimize_and_compare_chain = 0
comment 'Verdicts as of a moment, with thresholds: feature_verdicts_at(at = now(), constant_days = 30, ...)';

-- ClickHouse computes it again a minute after the last time, because planning alone takes as long as an answer may take.
-- On one thread, so that it leaves the other cores to counting. Each server has its own, also with replicas.
create materialized view if not exists feature_verdict_snapshot {on_cluster}
refresh after 1 minute
(
{include verdicts/feature_verdict_columns.sql}
    sentence String comment 'Explanation in one sentence',
    computed_at DateTime('UTC') comment 'As of when'
)
engine = MergeTree
order by (feature_name, environment, verdict)
empty
definer = current_user sql security definer
as select *, now('UTC') as computed_at
from (
with
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
    0.01::Float64 as harmful_chance,
{include verdicts/feature_verdicts.sql}
)
settings join_use_nulls = 0, join_algorithm = 'hash', optimize_and_compare_chain = 0, max_threads = 1
comment 'Verdicts on each feature as of the last minute. Read feature_verdicts instead';

create view if not exists feature_verdicts {on_cluster}
(
{include verdicts/feature_verdict_columns.sql}
    sentence String comment 'Explanation in one sentence',
    computed_at DateTime('UTC') comment 'As of when'
)
definer = current_user sql security definer
as select feature_name, environment, verdict, since, evaluations, value, threshold, subject, sentence, computed_at
from feature_verdict_snapshot
comment 'Verdicts on each feature in each environment, with default thresholds; computed again each minute';

create view if not exists hottest_constant_flags {on_cluster}
(
    environment LowCardinality(String) comment 'Environment of the evaluations',
    rank UInt64 comment 'Rank by evaluations in the environment, from 1',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    verdict String comment 'always_on or always_off',
    evaluations UInt64 comment 'Evaluations in 30 days',
    sentence String comment 'Explanation in one sentence'
)
definer = current_user sql security definer
as select
    environment,
    row_number() over (partition by environment order by evaluations desc, feature_name) as rank,
    feature_name,
    verdict,
    evaluations,
    sentence
from feature_verdicts
where verdict in ('always_on', 'always_off')
comment 'Features that always return the same, most evaluated first: clean these up first';

create view if not exists app_verdicts_at {on_cluster}
(
    app_name String comment 'Application',
    environment String comment 'Environment that it named',
    verdict String comment 'clock_skew, silent_instance or mixed_sdk_versions',
    since DateTime('UTC') comment 'Start of the condition within the examined time',
    value Float64 comment 'Measured value: refused metrics or hours ahead, silent instances, versions',
    threshold Float64 comment 'Threshold for the measured value',
    subject String comment 'The instance that is silent for longest, or the versions; else empty',
    sentence String comment 'Explanation in one sentence'
)
definer = current_user sql security definer
as with
    {at:DateTime('UTC')} as moment,
    toDate(moment - interval 5 minute) as end_day,
    -- Only the latest hour of an application is stored, so an earlier moment cannot prove that it was ahead.
    toStartOfHour(greatest(moment, now('UTC'))) as current_hour,
    refused as (
        select
            r.app_name as app_name,
            r.environment as environment,
            min(day) as first_day,
            sumIf(r.count, reason = 'too_old') as too_old,
            sumIf(r.count, reason = 'in_the_future') as in_the_future
        from refusals_daily as r
        where day >= end_day - 7 and day < end_day
          and kind = 'metric'
          and reason in ('too_old', 'in_the_future')
          and r.app_name != ''
        group by app_name, environment
    ),
    ahead as (
        select app_name::String as app_name, environment::String as environment, max(s.last_hour) as last_hour
        from feature_app_seen_states as s
        group by app_name, environment
        having last_hour > current_hour
    ),
    reports as (
        select
            app_name,
            environment,
            instance_id,
            sdk_version,
            reporting_since,
            last_seen,
            interval_ms > 0 as has_interval,
            toUInt32(180 + {silent_intervals:UInt32} * interval_ms / 1000) as pause_seconds,
            toIntervalSecond(greatest(pause_seconds, 3600)) as quiet,
            last_seen >= moment - toIntervalSecond(if(has_interval, pause_seconds, 3600)) as is_live,
            -- A relay forwards one registration of each instance, and counts without their instances.
            has_interval and empty(relays) and last_seen >= reporting_since + quiet as is_steady
        from instance_copies final
        where last_seen >= moment - interval 1 day and first_seen <= moment
    ),
    -- Most SDKs report nothing if they evaluated nothing. So an instance that stopped is silent only if most of those that
    -- reported all the time beside it still do: the application is not idle, and each of them got a share of its work.
    silent as (
        select app_name, environment, instance_id, last_seen
        from (
            select
                app_name,
                environment,
                instance_id,
                last_seen,
                is_live,
                last_seen < moment - quiet as has_stopped,
                step,
                countIf(step.2 = 'begins') over up_to as begun,
                countIf(step.2 = 'begins' and is_live) over up_to as begun_and_live,
                countIf(step.2 = 'was last seen') over up_to as ended_before
            from reports
            array join [(reporting_since, 'begins'), (last_seen - quiet, 'judged'), (last_seen, 'was last seen')] as step
            where is_steady
            window up_to as (
                partition by app_name, environment
                order by step.1, step.2
                rows between unbounded preceding and current row
            )
        )
        where step.2 = 'judged'
          and has_stopped
          and 2 * begun_and_live > begun - ended_before
    )
select
    app_name,
    environment,
    verdict,
    since,
    value,
    threshold,
    subject,
{include verdicts/sentence.sql}
from (
    select
        app_name,
        environment,
        'clock_skew' as verdict,
        first_day::DateTime('UTC') as since,
        (too_old + in_the_future)::Float64 as value,
        {skew_metrics:UInt64}::Float64 as threshold,
        '' as subject,
        [concat(
            'From ', toString(end_day - 7), ' to ', toString(end_day - 1), ' ', toString(too_old), ' of its metrics were refused as too old and ', toString(in_the_future),
            ' as in the future.'
        )] as parts
    from refused
    where too_old + in_the_future > {skew_metrics:UInt64}
    union all
    select
        app_name,
        environment,
        'clock_skew' as verdict,
        current_hour as since,
        dateDiff('hour', current_hour, last_hour)::Float64 as value,
        0::Float64 as threshold,
        '' as subject,
        [concat('It reported evaluations in the hour of ', formatDateTime(last_hour, '%F %R UTC'), ', which has not begun.')] as parts
    from ahead
    union all
    select
        app_name,
        environment,
        'silent_instance' as verdict,
        min(last_seen) as since,
        count()::Float64 as value,
        {silent_intervals:UInt32}::Float64 as threshold,
        argMin(instance_id, (last_seen, instance_id)) as subject,
        [
            concat(
                toString(count()), if(count() = 1, ' of its instances does', ' of its instances do'),
                ' not report any more, although most of those beside it still do: '
            ),
            subject,
            concat(' reported last at ', formatDateTime(since, '%F %T UTC'), '.')
        ] as parts
    from silent
    group by app_name, environment
    union all
    select
        app_name,
        environment,
        'mixed_sdk_versions' as verdict,
        max(last_seen) as since,
        length(versions)::Float64 as value,
        1::Float64 as threshold,
        arrayStringConcat(arraySort(groupUniqArray(sdk_version)) as versions, ', ') as subject,
        arrayConcat(
            [concat('Its live instances run ', toString(length(versions)), ' versions of an SDK: ')],
            arrayPopBack(arrayFlatten(arrayMap(version -> [version, ', '], versions))),
            ['.']
        ) as parts
    from reports
    where is_live and sdk_version != ''
    group by app_name, environment
    having length(versions) > 1
)
comment 'Verdicts as of a moment, with thresholds: app_verdicts_at(at = now(), skew_metrics = 10, silent_intervals = 3)';

create view if not exists app_verdicts {on_cluster}
(
    app_name String comment 'Application',
    environment String comment 'Environment that it named',
    verdict String comment 'clock_skew, silent_instance or mixed_sdk_versions',
    since DateTime('UTC') comment 'Start of the condition within the examined time',
    value Float64 comment 'Measured value: refused metrics or hours ahead, silent instances, versions',
    threshold Float64 comment 'Threshold for the measured value',
    subject String comment 'The instance that is silent for longest, or the versions; else empty',
    sentence String comment 'Explanation in one sentence'
)
definer = current_user sql security definer
as select app_name, environment, verdict, since, value, threshold, subject, sentence
from app_verdicts_at(at = now('UTC'), skew_metrics = 10, silent_intervals = 3)
comment 'Verdicts on each application in each environment, with default thresholds';
