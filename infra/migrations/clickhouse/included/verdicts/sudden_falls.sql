    -- A cliff within an hour, by the minutes in which counts arrived. One hour varies more than cliff_hours, so the share is squared, and
    -- a feature must be low beside both the same minutes a day before and the hours a week before. It must have arrived in most minutes a
    -- day before, which work in batches does not. And most such features of the environment must arrive as they did: otherwise counts
    -- wait somewhere, or it is a holiday. The counts of an application wait together, in its relay or their partition. So what lacks from
    -- one counts as if it had arrived, unless most other features of that application arrive as they did and none of them fell.
    toStartOfMinute(settled) as end_minute,
    end_minute - interval 1 hour as fall_from,
    cliff_share * cliff_share as fall_share,
    [toStartOfHour(fall_from), toStartOfHour(end_minute - interval 1 minute)] as fall_hours,
    sudden_falls as (
        select feature_name, environment, fall_evaluations, day_ago_evaluations, hour_a_week_ago
        from (
            select
                *,
                fall_evaluations < cliff_share * day_ago_evaluations as is_low,
                sum(is_low) over (partition by environment) < count() over (partition by environment) / 2 as do_most_arrive
            from (
                select
                    environment,
                    feature_name,
                    sum(fall_of_app) as fall_evaluations,
                    sum(day_ago_of_app) as day_ago_evaluations,
                    sum(if(2 * other_usual > others and other_fallen = 0, fall_of_app, greatest(fall_of_app, day_ago_of_app))) as arrived_or_waiting
                from (
                    select
                        *,
                        bitCount(minutes_of_app) >= 45 as is_steady,
                        is_steady and fall_of_app >= cliff_share * day_ago_of_app as is_usual,
                        is_steady and fall_of_app < fall_share * day_ago_of_app as has_fallen,
                        sum(is_steady) over (partition by environment, app_name) - is_steady as others,
                        sum(is_usual) over (partition by environment, app_name) - is_usual as other_usual,
                        sum(has_fallen) over (partition by environment, app_name) - has_fallen as other_fallen
                    from (
                        select
                            environment,
                            feature_name,
                            app_name,
                            sumIf(m.yes + m.no + m.unknown, minute >= fall_from) as fall_of_app,
                            sumIf(m.yes + m.no + m.unknown, minute < fall_from) as day_ago_of_app,
                            -- Each minute of an hour is a bit.
                            groupBitOrIf(bitShiftLeft(toUInt64(1), toMinute(minute)), minute < fall_from and m.yes + m.no + m.unknown > 0) as minutes_of_app
                        from usage_minutely as m
                        -- Only a condition on hours uses the index: the table has three days.
                        where toStartOfHour(minute) in (fall_hours[1], fall_hours[2], fall_hours[1] - interval 1 day, fall_hours[2] - interval 1 day)
                          and ((minute >= fall_from and minute < end_minute)
                            or (minute >= fall_from - interval 1 day and minute < end_minute - interval 1 day))
                        group by environment, feature_name, app_name
                    ) as arrived
                ) as of_app
                group by environment, feature_name
                having day_ago_evaluations >= cliff_evaluations
                   and bitCount(groupBitOr(minutes_of_app)) >= 45
            ) as of_feature
        ) as steady
        inner join (
            select environment, feature_name, min(of_hour.evaluations) as hour_a_week_ago
            from (
                select environment, feature_name, hour, sum(u.yes) + sum(u.no) + sum(u.unknown) as evaluations
                from usage_hourly as u
                where hour = fall_hours[1] - interval 7 day
                   or hour = fall_hours[2] - interval 7 day
                group by environment, feature_name, hour
            ) as of_hour
            group by environment, feature_name
            having count() = length(arrayDistinct(fall_hours))
        ) as week_ago using (feature_name, environment)
        where do_most_arrive
          and hour_a_week_ago >= cliff_evaluations
          and arrived_or_waiting < fall_share * least(day_ago_evaluations, hour_a_week_ago)
    ),
