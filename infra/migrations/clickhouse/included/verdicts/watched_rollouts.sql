    -- The verdict harmful: since the rollout was widened, a guard is worse for an arm than for its control. Arms are compared
    -- within each hour and application, because both change with the time of day and with who uses them.
    -- Few features have guards, so their rollouts are read first, and once for all that follows.
    (
        select groupArray((feature_name, environment, guard, widened_at))
        from (
            select
                feature_name,
                environment,
                groupArrayArray(guards) as all_guards,
                arraySort(groupArrayIf((valid_from, rollout), valid_from <= at)) as changes,
                -- A rollout that depends on the context is -1, and a change from or to it counts as wider.
                arrayMax(
                    (change, before) -> if(
                        change.2 != 0 and (change.2 = -1 or before = -1 or change.2 > before),
                        change.1,
                        toDateTime64(0, 3, 'UTC')
                    ),
                    changes,
                    arrayPopBack(arrayPushFront(changes.2, 0))
                ) as widened_at
            from (
                select
                    name as feature_name,
                    environment,
                    guards,
                    since as valid_from,
                    coalesce(rollout_percent, -1) as rollout
                from feature_copies final
                array join environments as environment, are_enabled as is_on, rollout_percents as rollout_percent, changed_at as since
                where is_on and not archived and notEmpty(guards)
                union all
                select
                    feature_name,
                    environment,
                    [] as guards,
                    valid_from,
                    coalesce(rollout_percent, -1) as rollout
                from past_configuration_copies final
                where feature_name in (select name from feature_copies final where notEmpty(guards))
            )
            group by feature_name, environment
        )
        array join all_guards as guard
        where widened_at >= at - interval 90 day
    ) as watched,
    toStartOfHour(arrayMin(watched.4)) as exposed_from,
