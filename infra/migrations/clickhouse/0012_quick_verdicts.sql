-- Verdicts on all features at once, with 50 applications in each: what does not ask for applications reads sums over all of them.

alter table variants_hourly {on_cluster}
    modify setting
        deduplicate_merge_projection_mode = 'rebuild',
        materialize_projections_on_insert = 0,
        materialize_projections_on_merge = 1;

alter table variants_daily {on_cluster}
    modify setting
        deduplicate_merge_projection_mode = 'rebuild',
        materialize_projections_on_insert = 0,
        materialize_projections_on_merge = 1;

alter table variants_hourly {on_cluster}
    add projection if not exists of_all_apps
    (
        select hour, environment, feature_name, variant, sum(count)
        group by hour, environment, feature_name, variant
    );

alter table variants_daily {on_cluster}
    add projection if not exists of_all_apps
    (
        select day, environment, feature_name, variant, sum(count)
        group by day, environment, feature_name, variant
    );

alter table variants_hourly {on_cluster} materialize projection of_all_apps settings mutations_sync = 0;

alter table variants_daily {on_cluster} materialize projection of_all_apps settings mutations_sync = 0;

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
    {at:DateTime('UTC')} - interval 5 minute as settled,
    toStartOfHour(settled) as end_hour,
    toDate(settled) as end_day,
    end_day - {constant_days:UInt32} as constant_from,
    end_day - {silent_days:UInt32} as silent_from,
    end_hour - toIntervalHour({cliff_hours:UInt32}) as cliff_from,
    end_hour - toIntervalHour({drift_hours:UInt32}) as drift_from,
    seen as (
        select feature_name, environment, min(s.first_hour) as first_hour, max(s.last_hour) as last_hour
        from feature_seen_states as s
        group by feature_name, environment
    ),
    known as (
        select name::LowCardinality(String) as feature_name, archived, enabled_in, true as is_known
        from feature_copies final
    ),
    live as (
        select
            app_name::LowCardinality(String) as app_name,
            environment::LowCardinality(String) as environment,
            count() as instances
        from instance_copies final
        where last_seen >= {at:DateTime('UTC')} - toIntervalSecond(180 + 3 * if(interval_ms = 0, 3600, interval_ms / 1000))
        group by app_name, environment
    ),
    live_of_environment as (
        select environment, sum(instances) as live_instances
        from live
        group by environment
    ),
    long_run as (
        select feature_name, environment, sum(of_day.yes) as long_yes, sum(of_day.no) as long_no
        from (
            select day, environment, feature_name, sum(u.yes) as yes, sum(u.no) as no
            from usage_daily as u
            where day >= constant_from and day < end_day
            group by day, environment, feature_name
        ) as of_day
        group by feature_name, environment
    ),
    -- No sum over all applications tells who they were. `distinct` takes half the time of `group by`.
    callers as (
        select feature_name, environment, sum(instances) as calling_instances
        from (
            select distinct feature_name, environment, app_name
            from usage_daily
            where day >= constant_from and day < end_day
        ) as of_app
        inner join live using (app_name, environment)
        group by feature_name, environment
    ),
    short_run as (
        select
            feature_name,
            environment,
            sumIf(of_hour.yes, hour >= cliff_from) as short_yes,
            sumIf(of_hour.yes + of_hour.no, hour >= cliff_from) as short_evaluations,
            sumIf(of_hour.yes + of_hour.no, hour < cliff_from) as week_ago_evaluations
        from (
            select hour, environment, feature_name, sum(u.yes) as yes, sum(u.no) as no
            from usage_hourly as u
            where (hour >= cliff_from and hour < end_hour)
               or (hour >= cliff_from - interval 7 day and hour < end_hour - interval 7 day)
            group by hour, environment, feature_name
        ) as of_hour
        group by feature_name, environment
    ),
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
                sumIf(of_hour.count, hour >= drift_from) as recent,
                sumIf(of_hour.count, hour < drift_from) as earlier
            from (
                select hour, environment, feature_name, variant, sum(v.count) as count
                from variants_hourly as v
                where hour >= drift_from - interval 7 day and hour < end_hour
                group by hour, environment, feature_name, variant
            ) as of_hour
            group by feature_name, environment, variant
            having recent + earlier > 0
        )
        group by feature_name, environment
    ),
    dead_variants as (
        select
            feature_name,
            environment,
            arraySort(groupArrayIf(toString(variant), recent = 0 and earlier >= {dead_evaluations:UInt64})) as dead,
            maxIf(last_day, recent = 0 and earlier >= {dead_evaluations:UInt64}) as last_served,
            sum(recent) as others_served
        from (
            select
                feature_name,
                environment,
                variant,
                max(day) as last_day,
                sumIf(of_day.count, day >= end_day - {dead_days:UInt32}) as recent,
                sumIf(of_day.count, day < end_day - {dead_days:UInt32}) as earlier
            from (
                select day, environment, feature_name, variant, sum(v.count) as count
                from variants_daily as v
                where day >= end_day - {dead_days:UInt32} - 30 and day < end_day
                group by day, environment, feature_name, variant
                having count > 0
            ) as of_day
            group by feature_name, environment, variant
        )
        group by feature_name, environment
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
                union all
                select feature_name, environment, app_name, day, 0, u.yes + u.no
                from usage_daily as u
                where day >= end_day - 7 and day < end_day
                  and feature_name in (select feature_name from variants_daily where day >= end_day - 7 and day < end_day)
            )
            group by feature_name, environment, app_name, day
            having served > evaluated
        )
        group by feature_name, environment
    ),
    -- A comparison takes a quarter of a microsecond: 2,000 unknown names with 2,000 features would take a second.
    near_names as (
        select feature_name, argMin(candidate, (distance, is_archived, candidate)) as nearest
        from (
            select
                strays.feature_name as feature_name,
                names.name as candidate,
                names.archived as is_archived,
                damerauLevenshteinDistance(strays.in_lower_case, names.in_lower_case) as distance
            from (
                select feature_name, lower(toString(feature_name)) as in_lower_case, length(in_lower_case) as size
                from feature_seen_states
                where feature_name not in (select name from feature_copies final)
                group by feature_name
                having max(last_hour) >= end_hour - interval 30 day
                order by max(last_hour) desc, feature_name
                limit 100
            ) as strays
            cross join (
                select name, archived, lower(name) as in_lower_case, length(name) as size
                from feature_copies final
            ) as names
            where abs(strays.size - names.size) <= 2
              and distance <= 2
        )
        group by feature_name
    ),
    facts as (
        select
            *,
            long_yes + long_no as long_evaluations,
            toDate(first_hour) <= constant_from and long_evaluations > {constant_evaluations:UInt64} as has_run_long,
            has_run_long and long_no = 0 as is_always_on,
            has_run_long and long_yes = 0 as is_always_off,
            is_known and not archived and last_hour < end_hour - toIntervalDay({silent_days:UInt32}) as is_silent,
            concat(toString(long_evaluations), ' evaluations from ', toString(constant_from), ' to ', toString(end_day - 1)) as long_words,
            concat('in the ', toString({cliff_hours:UInt32}), ' hours before ', formatDateTime(end_hour, '%F %R')) as short_words
        from seen
        left join known using (feature_name)
        left join long_run using (feature_name, environment)
        left join callers using (feature_name, environment)
        left join short_run using (feature_name, environment)
        left join drifts using (feature_name, environment)
        left join dead_variants using (feature_name, environment)
        left join excesses using (feature_name, environment)
        left join near_names using (feature_name)
        left join live_of_environment using (environment)
        where first_hour < end_hour
    )
select
    feature_name,
    environment,
    v.2 as verdict,
    v.3 as since,
    v.4 as evaluations,
    v.5 as value,
    v.6 as threshold,
    v.7 as subject,
    v.8 as sentence
from facts
array join arrayFilter(
    candidate -> candidate.1,
    [
        (
            is_always_on,
            'always_on',
            constant_from::DateTime('UTC'),
            long_evaluations,
            long_evaluations::Float64,
            {constant_evaluations:UInt64}::Float64,
            '',
            concat('Each of its ', long_words, ' was enabled.')
        ),
        (
            is_always_off,
            'always_off',
            constant_from::DateTime('UTC'),
            long_evaluations,
            long_evaluations::Float64,
            {constant_evaluations:UInt64}::Float64,
            '',
            concat('Each of its ', long_words, ' was disabled.')
        ),
        (
            is_silent,
            'silent',
            last_hour,
            0,
            dateDiff('hour', last_hour, end_hour) / 24,
            {silent_days:UInt32}::Float64,
            '',
            concat('It was evaluated last in the hour of ', formatDateTime(last_hour, '%F %R'), ', more than ', toString({silent_days:UInt32}), ' days ago.')
        ),
        (
            first_hour >= end_hour - toIntervalDay({new_days:UInt32}),
            'new',
            first_hour,
            long_evaluations,
            dateDiff('hour', first_hour, end_hour) / 24,
            {new_days:UInt32}::Float64,
            '',
            concat('It was evaluated for the first time in the hour of ', formatDateTime(first_hour, '%F %R'), '.')
        ),
        (
            not is_known and last_hour >= end_hour - interval 30 day,
            'unknown',
            first_hour,
            long_evaluations,
            long_evaluations::Float64,
            0,
            nearest,
            concat(
                'No feature has this name, and it was evaluated last in the hour of ', formatDateTime(last_hour, '%F %R'),
                if(nearest = '', '.', concat('; perhaps ', nearest, ' is meant.'))
            )
        ),
        (
            is_known and not archived and not has(enabled_in, environment) and short_evaluations > {called_evaluations:UInt64},
            'called_while_off',
            cliff_from,
            short_evaluations,
            short_evaluations::Float64,
            {called_evaluations:UInt64}::Float64,
            '',
            concat('It is off in ', environment, ' and was evaluated ', toString(short_evaluations), ' times ', short_words, ', ', toString(short_yes), ' of them enabled.')
        ),
        (
            is_known and archived and short_evaluations > {called_evaluations:UInt64},
            'called_while_archived',
            cliff_from,
            short_evaluations,
            short_evaluations::Float64,
            {called_evaluations:UInt64}::Float64,
            '',
            concat('It is archived and was evaluated ', toString(short_evaluations), ' times ', short_words, '.')
        ),
        (
            week_ago_evaluations >= {cliff_evaluations:UInt64} and short_evaluations < {cliff_share:Float64} * week_ago_evaluations,
            'cliff',
            cliff_from,
            short_evaluations,
            short_evaluations / week_ago_evaluations,
            {cliff_share:Float64},
            '',
            concat('It was evaluated ', toString(short_evaluations), ' times ', short_words, ', and ', toString(week_ago_evaluations), ' times in the same hours a week before.')
        ),
        (
            least(drift_recent, drift_earlier) >= {drift_evaluations:UInt64} and stability_index > {drift_index:Float64},
            'drift',
            drift_from,
            drift_recent,
            stability_index,
            {drift_index:Float64},
            '',
            concat(
                'The shares of its variants in the ', toString({drift_hours:UInt32}), ' hours before ', formatDateTime(end_hour, '%F %R'),
                ' are not those of the 7 days before: the population stability index is ', toString(round(stability_index, 3)), '.'
            )
        ),
        (
            notEmpty(dead) and others_served > 0,
            'dead_variant',
            last_served::DateTime('UTC'),
            others_served,
            length(dead)::Float64,
            {dead_evaluations:UInt64}::Float64,
            arrayStringConcat(dead, ', '),
            concat(
                if(length(dead) = 1, 'The variant ', 'The variants '), arrayStringConcat(dead, ', '), if(length(dead) = 1, ' was', ' were'),
                ' served last on ', toString(last_served), ', while others were served ', toString(others_served), ' times in ', toString({dead_days:UInt32}), ' days.'
            )
        ),
        (
            excess > 0,
            'sum_check',
            excess_since::DateTime('UTC'),
            worst.2,
            excess::Float64,
            0,
            worst.3,
            concat('On ', toString(worst.4), ' the application ', worst.3, ' told of ', toString(worst.1), ' variants served in ', toString(worst.2), ' evaluations.')
        ),
        (
            is_known and not archived and (is_silent or is_always_on or is_always_off),
            'archive_evidence',
            last_hour,
            long_evaluations,
            if(live_instances = 0, 0, calling_instances / live_instances),
            0,
            '',
            concat(
                'It was evaluated last in the hour of ', formatDateTime(last_hour, '%F %R'), ', ', toString(long_evaluations), ' times in ', toString({constant_days:UInt32}),
                ' days, by applications with ', toString(calling_instances), ' of the ', toString(live_instances), ' live instances in ', environment, '.'
            )
        )
    ]
) as v
settings join_use_nulls = 0, join_algorithm = 'hash', optimize_and_compare_chain = 0
comment 'Verdicts as of a moment, with thresholds: feature_verdicts_at(at = now(), constant_days = 30, ...)';
