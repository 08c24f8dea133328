-- The shared text of app_verdicts and app_verdicts_at: verdicts as of `at`. The thresholds are defined before this text.

    toDate(at - interval 5 minute) as end_day,
    -- Only the latest hour of an application is stored, so an earlier moment cannot prove that it was ahead.
    toStartOfHour(greatest(at, now('UTC'))) as current_hour,
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
            toUInt32(180 + silent_intervals * interval_ms / 1000) as pause_seconds,
            toIntervalSecond(greatest(pause_seconds, 3600)) as quiet,
            last_seen >= at - toIntervalSecond(if(has_interval, pause_seconds, 3600)) as is_live,
            -- A relay forwards one registration of each instance, and counts without their instances.
            has_interval and empty(relays) and last_seen >= reporting_since + quiet as is_steady
        from instance_copies final
        where last_seen >= at - interval 1 day and first_seen <= at
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
                last_seen < at - quiet as has_stopped,
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
        skew_metrics::Float64 as threshold,
        '' as subject,
        [concat(
            'From ', toString(end_day - 7), ' to ', toString(end_day - 1), ' ', toString(too_old), ' of its metrics were refused as too old and ', toString(in_the_future),
            ' as in the future.'
        )] as parts
    from refused
    where too_old + in_the_future > skew_metrics
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
        silent_intervals::Float64 as threshold,
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
