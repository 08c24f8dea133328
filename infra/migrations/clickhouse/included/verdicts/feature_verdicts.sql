-- The shared text of feature_verdict_snapshot and feature_verdicts_at: verdicts as of `at`. The thresholds are defined
-- before this text, and the settings after it.
-- Planning it takes longer than running it, and grows with each function and subquery. So each verdict has its sentence in parts,
-- which are joined once at the end.

    at - interval 5 minute as settled,
    toStartOfHour(settled) as end_hour,
    toDate(settled) as end_day,
    end_day - constant_days as constant_from,
    end_hour - toIntervalHour(cliff_hours) as cliff_from,
    end_hour - toIntervalHour(drift_hours) as drift_from,
    concat('in the ', toString(cliff_hours), ' hours before ', formatDateTime(end_hour, '%F %R UTC')) as short_words,
    known as (
        -- Another flag system knows where its features are on.
        select name::LowCardinality(String) as feature_name, archived, enabled_in, true as is_known, source != 'opentelemetry' as is_switched
        from feature_copies final
    ),
    live as (
        select
            app_name::LowCardinality(String) as app_name,
            environment::LowCardinality(String) as environment,
            count() as instances
        from instance_copies final
        where last_seen >= at - toIntervalSecond(180 + 3 * if(interval_ms = 0, 3600, interval_ms / 1000))
        group by app_name, environment
    ),
    live_of_environment as (
        select environment, sum(instances) as live_instances
        from live
        group by environment
    ),
    seen as (
        select feature_name, environment, min(s.first_hour) as first_hour, max(s.last_hour) as last_hour
        from feature_app_seen_states as s
        group by feature_name, environment
    ),
    long_run as (
        select feature_name, environment, sum(u.yes) as long_yes, sum(u.no) as long_no, sum(u.unknown) as long_unknown
        from usage_daily as u
        where day >= constant_from and day < end_day
        group by feature_name, environment
    ),
    callers as (
        select feature_name, environment, sum(instances) as calling_instances
        from (
            select feature_name, environment, app_name
            from feature_app_seen_states final
            where last_hour >= constant_from and first_hour < end_hour
        ) as of_app
        inner join live using (app_name, environment)
        group by feature_name, environment
    ),
    -- A comparison takes up to half a microsecond, so 2,000 unknown names with 2,000 features would take two seconds.
    -- If two names begin with the same half, as many do, comparing the other halves gives the same distance in two
    -- thirds of the time.
    near_names as (
        select feature_name, argMin(candidate, (distance, is_archived, candidate)) as nearest
        from (
            select
                strays.feature_name as feature_name,
                names.name as candidate,
                names.archived as is_archived,
                if(
                    strays.beginning = names.beginning,
                    damerauLevenshteinDistance(strays.ending, names.ending),
                    damerauLevenshteinDistance(strays.in_lower_case, names.in_lower_case)
                ) as distance
            from (
                select
                    feature_name,
                    lower(toString(feature_name)) as in_lower_case,
                    length(in_lower_case) as size,
                    substring(in_lower_case, 1, intDiv(size, 2)) as beginning,
                    substring(in_lower_case, intDiv(size, 2) + 1) as ending
                from feature_app_seen_states
                where feature_name not in (select name from feature_copies final)
                group by feature_name
                having max(last_hour) >= end_hour - interval 30 day
                order by max(last_hour) desc, feature_name
                limit 100
            ) as strays
            cross join (
                select
                    name,
                    archived,
                    lower(name) as in_lower_case,
                    length(in_lower_case) as size,
                    substring(in_lower_case, 1, intDiv(size, 2)) as beginning,
                    substring(in_lower_case, intDiv(size, 2) + 1) as ending
                from feature_copies final
            ) as names
            where abs(strays.size - names.size) <= 2
              and distance <= 2
        )
        group by feature_name
    ),
    judged as (
        select
            *,
            long_yes + long_no + long_unknown as long_evaluations,
            toDate(first_hour) <= constant_from and long_evaluations > constant_evaluations as has_run_long,
            -- A result that was not reported may have been the other one.
            has_run_long and long_no + long_unknown = 0 as is_always_on,
            has_run_long and long_yes + long_unknown = 0 as is_always_off,
            is_known and not archived and last_hour < end_hour - toIntervalDay(silent_days) as is_silent,
            concat(toString(long_evaluations), ' evaluations from ', toString(constant_from), ' to ', toString(end_day - 1)) as long_words
        from seen
        left join known using (feature_name)
        left join long_run using (feature_name, environment)
        left join callers using (feature_name, environment)
        left join near_names using (feature_name)
        left join live_of_environment using (environment)
        where first_hour < end_hour
    ),
    short_run as (
        select
            feature_name,
            environment,
            sumIf(of_run.yes, is_recent) as short_yes,
            sumIf(of_run.unknown, is_recent) as short_unknown,
            sumIf(of_run.evaluations, is_recent) as short_evaluations,
            sumIf(of_run.evaluations, not is_recent) as week_ago_evaluations
        from (
            select
                environment,
                feature_name,
                hour >= cliff_from as is_recent,
                sum(u.yes) as yes,
                sum(u.unknown) as unknown,
                yes + sum(u.no) + unknown as evaluations
            from usage_hourly as u
            where (hour >= cliff_from and hour < end_hour)
               or (hour >= cliff_from - interval 7 day and hour < end_hour - interval 7 day)
            group by environment, feature_name, is_recent
        ) as of_run
        group by feature_name, environment
    ),
{include verdicts/sudden_falls.sql}
    drifts as (
        select
            feature_name,
            environment,
            sum(recent) as drift_recent,
            sum(earlier) as drift_earlier,
            arraySum(
                (r, e) -> (greatest(r / drift_recent, 0.0001) - greatest(e / drift_earlier, 0.0001))
                    * log(greatest(r / drift_recent, 0.0001) / greatest(e / drift_earlier, 0.0001)),
                groupArray(recent),
                groupArray(earlier)
            ) as stability_index
        from (
            select
                feature_name,
                environment,
                variant,
                sumIf(of_run.count, is_recent) as recent,
                sumIf(of_run.count, not is_recent) as earlier
            from (
                select environment, feature_name, variant, hour >= drift_from as is_recent, sum(v.count) as count
                from variants_hourly as v
                where hour >= drift_from - interval 7 day and hour < end_hour
                group by environment, feature_name, variant, is_recent
            ) as of_run
            group by feature_name, environment, variant
            having recent + earlier > 0
        )
        group by feature_name, environment
    ),
    dead_variants as (
        select
            feature_name,
            environment,
            arraySort(groupArrayIf(toString(variant), recent = 0 and earlier >= dead_evaluations)) as dead,
            maxIf(last_day, recent = 0 and earlier >= dead_evaluations) as last_served,
            sum(recent) as others_served
        from (
            select
                feature_name,
                environment,
                variant,
                max(day) as last_day,
                sumIf(of_day.count, day >= end_day - dead_days) as recent,
                sumIf(of_day.count, day < end_day - dead_days) as earlier
            from (
                select day, environment, feature_name, variant, sum(v.count) as count
                from variants_daily as v
                where day >= end_day - dead_days - 30 and day < end_day
                group by day, environment, feature_name, variant
                having count > 0
            ) as of_day
            group by feature_name, environment, variant
        )
        group by feature_name, environment
    ),
    -- An application can have more variants than evaluations in a day only if one of its blocks has in an hour.
    suspects as (
        select feature_name
        from feature_app_seen_states
        where excess_hour >= end_day - 7
    ),
    excesses as (
        select
            feature_name,
            environment,
            max(served - evaluated) as excess,
            argMax((served, evaluated, toString(app_name), day), (served - evaluated, day, app_name)) as worst,
            min(day) as excess_since
        from (
            select feature_name, environment, app_name, day, sum(of_variants) as served, sum(of_usage) as evaluated
            from (
                select feature_name, environment, app_name, day, v.count as of_variants, 0 as of_usage
                from variants_daily as v
                where day >= end_day - 7 and day < end_day
                  and feature_name global in suspects
                union all
                select feature_name, environment, app_name, day, 0, u.yes + u.no + u.unknown
                from usage_daily as u
                where day >= end_day - 7 and day < end_day
                  and feature_name global in suspects
            )
            group by feature_name, environment, app_name, day
            having served > evaluated
        )
        group by feature_name, environment
    ),
{include verdicts/watched_rollouts.sql}
{include verdicts/arms_counted.sql}
{include verdicts/harmful_rollouts.sql}
select
    feature_name,
    environment,
    verdict,
    since,
    evaluations,
    value,
    threshold,
    subject,
{include verdicts/sentence.sql}
from (
    select
        feature_name,
        environment,
        v.2 as verdict,
        v.3 as since,
        v.4 as evaluations,
        v.5 as value,
        v.6 as threshold,
        v.7 as subject,
        v.8 as parts
    from (
        select feature_name, environment, v
        from judged
        array join arrayFilter(
            candidate -> candidate.1,
            [
                (
                    is_always_on,
                    'always_on',
                    constant_from::DateTime('UTC'),
                    long_evaluations,
                    long_evaluations::Float64,
                    constant_evaluations::Float64,
                    '',
                    [concat('Each of its ', long_words, ' was enabled.')]
                ),
                (
                    is_always_off,
                    'always_off',
                    constant_from::DateTime('UTC'),
                    long_evaluations,
                    long_evaluations::Float64,
                    constant_evaluations::Float64,
                    '',
                    [concat('Each of its ', long_words, ' was disabled.')]
                ),
                (
                    is_silent,
                    'silent',
                    last_hour,
                    0,
                    dateDiff('hour', last_hour, end_hour) / 24,
                    silent_days::Float64,
                    '',
                    [concat('It was evaluated last in the hour of ', formatDateTime(last_hour, '%F %R UTC'), ', more than ', toString(silent_days), ' days ago.')]
                ),
                (
                    first_hour >= end_hour - toIntervalDay(new_days),
                    'new',
                    first_hour,
                    long_evaluations,
                    dateDiff('hour', first_hour, end_hour) / 24,
                    new_days::Float64,
                    '',
                    [concat('It was evaluated for the first time in the hour of ', formatDateTime(first_hour, '%F %R UTC'), '.')]
                ),
                (
                    not is_known and last_hour >= end_hour - interval 30 day,
                    'unknown',
                    first_hour,
                    long_evaluations,
                    long_evaluations::Float64,
                    0,
                    nearest,
                    [
                        concat(
                            'No feature has this name, and it was evaluated last in the hour of ', formatDateTime(last_hour, '%F %R UTC'),
                            if(nearest = '', '.', '; perhaps ')
                        ),
                        nearest,
                        if(nearest = '', '', ' is meant.')
                    ]
                ),
                (
                    is_known and not archived and (is_silent or is_always_on or is_always_off),
                    'archive_evidence',
                    last_hour,
                    long_evaluations,
                    if(live_instances = 0, 0, calling_instances / live_instances),
                    0,
                    '',
                    [
                        concat(
                            'It was evaluated last in the hour of ', formatDateTime(last_hour, '%F %R UTC'), ', ', toString(long_evaluations), ' times in ', toString(constant_days),
                            ' days',
                            if(
                                live_instances = 0,
                                '. No live instance is known in ',
                                concat(', by applications with ', toString(calling_instances), ' of the ', toString(live_instances), ' live instances in ')
                            )
                        ),
                        environment,
                        '.'
                    ]
                )
            ]
        ) as v
        union all
        select feature_name, environment, v
        from (
            select
                *,
                week_ago_evaluations >= cliff_evaluations and short_evaluations < cliff_share * week_ago_evaluations as is_cliff_of_hours
            from short_run
            left join known using (feature_name)
            left join sudden_falls using (feature_name, environment)
        )
        array join arrayFilter(
            candidate -> candidate.1,
            [
                (
                    is_switched and not archived and not has(enabled_in, environment) and short_evaluations > called_evaluations,
                    'called_while_off',
                    cliff_from,
                    short_evaluations,
                    short_evaluations::Float64,
                    called_evaluations::Float64,
                    '',
                    [
                        'It is off in ',
                        environment,
                        concat(
                            ' and was evaluated ', toString(short_evaluations), ' times ', short_words, ', ', toString(short_yes), ' of them enabled',
                            if(short_unknown = 0, '.', concat(' and ', toString(short_unknown), ' with a result that was not reported.'))
                        )
                    ]
                ),
                (
                    is_known and archived and short_evaluations > called_evaluations,
                    'called_while_archived',
                    cliff_from,
                    short_evaluations,
                    short_evaluations::Float64,
                    called_evaluations::Float64,
                    '',
                    [concat('It is archived and was evaluated ', toString(short_evaluations), ' times ', short_words, '.')]
                ),
                (
                    is_cliff_of_hours,
                    'cliff',
                    cliff_from,
                    short_evaluations,
                    short_evaluations / week_ago_evaluations,
                    cliff_share,
                    '',
                    [concat('It was evaluated ', toString(short_evaluations), ' times ', short_words, ', and ', toString(week_ago_evaluations), ' times in the same hours a week before.')]
                ),
                (
                    not is_cliff_of_hours and hour_a_week_ago > 0,
                    'cliff',
                    fall_from,
                    fall_evaluations,
                    fall_evaluations / day_ago_evaluations,
                    fall_share,
                    '',
                    [concat(
                        'Counts of ', toString(fall_evaluations), ' evaluations arrived in the 60 minutes before ', formatDateTime(end_minute, '%F %R UTC'),
                        ', and of ', toString(day_ago_evaluations), ' in the same minutes a day before; a week before it was evaluated at least ',
                        toString(hour_a_week_ago), ' times an hour.'
                    )]
                )
            ]
        ) as v
    )
    union all
    select
        feature_name,
        environment,
        'drift' as verdict,
        drift_from as since,
        drift_recent as evaluations,
        stability_index as value,
        drift_index as threshold,
        '' as subject,
        [concat(
            'The shares of its variants in the ', toString(drift_hours), ' hours before ', formatDateTime(end_hour, '%F %R UTC'),
            ' are not those of the 7 days before: the population stability index is ', toString(round(stability_index, 3)), '.'
        )] as parts
    from drifts
    where least(drift_recent, drift_earlier) >= drift_evaluations and stability_index > drift_index
    union all
    select
        feature_name,
        environment,
        'dead_variant' as verdict,
        last_served::DateTime('UTC') as since,
        others_served as evaluations,
        length(dead)::Float64 as value,
        dead_evaluations::Float64 as threshold,
        arrayStringConcat(dead, ', ') as subject,
        arrayConcat(
            [if(length(dead) = 1, 'The variant ', 'The variants ')],
            arrayPopBack(arrayFlatten(arrayMap(variant -> [variant, ', '], dead))),
            [concat(
                if(length(dead) = 1, ' was', ' were'), ' served last on ', toString(last_served), ', while others were served ', toString(others_served),
                ' times in ', toString(dead_days), ' days.'
            )]
        ) as parts
    from dead_variants
    where notEmpty(dead) and others_served > 0
    union all
    select
        feature_name,
        environment,
        'sum_check' as verdict,
        excess_since::DateTime('UTC') as since,
        worst.2 as evaluations,
        excess::Float64 as value,
        0 as threshold,
        worst.3 as subject,
        [
            concat('On ', toString(worst.4), ' the application '),
            worst.3,
            concat(' reported ', toString(worst.1), ' variants served in ', toString(worst.2), ' evaluations.')
        ] as parts
    from excesses
    where excess > 0
    union all
    select
        feature_name,
        environment,
        'harmful' as verdict,
        since,
        toUInt64(worst.4) as evaluations,
        worst.8 as value,
        worst.9 as threshold,
        worst.1.metric as subject,
        parts
    from harmful_rollouts
)
