    -- The verdict harmful: since the rollout was widened, a guard is worse for an arm than for its control. Arms are compared
    -- within each hour and application, because both change with the time of day and with who uses them.
    watched as (
        select feature_name, environment, guard, widened_at
        from (
            select
                name::LowCardinality(String) as feature_name,
                arrayJoin(enabled_in)::LowCardinality(String) as environment,
                arrayJoin(guards) as guard
            from feature_copies final
            where not archived
        ) as guarded
        inner join (
            select
                feature_name::LowCardinality(String) as feature_name,
                environment::LowCardinality(String) as environment,
                max(valid_from) as widened_at
            from (
                select
                    feature_name,
                    environment,
                    valid_from,
                    coalesce(rollout_percent, -1) as rollout,
                    lagInFrame(rollout, 1, 0) over (
                        partition by feature_name, environment
                        order by valid_from
                        rows between 1 preceding and current row
                    ) as rollout_before
                from feature_configuration_history
                where feature_name in (select name from feature_copies final where notEmpty(guards))
                  and valid_from <= at
            )
            -- A rollout that depends on the context is -1, and a change from or to it counts as wider.
            where rollout != 0
              and (rollout = -1 or rollout_before = -1 or rollout > rollout_before)
            group by feature_name, environment
            having widened_at >= at - interval 90 day
        ) as widened using (feature_name, environment)
    ),
    exposed_features as (select name as feature_name from feature_copies final where notEmpty(guards)),
    (select toStartOfHour(min(widened_at)) from watched)::DateTime('UTC') as exposed_from,
