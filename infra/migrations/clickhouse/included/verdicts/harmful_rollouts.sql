    -- A counter is compared by evaluation, and the observations of a histogram above a bound by observation. A counter has no
    -- sample of an hour without events, so its evaluations decide which hours there are. `place` is that of the guard in `watched`.
    arms_of_hours as (
        select
            place,
            accepted,
            app_name,
            hour,
            arms.1 as arm,
            toFloat64(if(above is null, sum(arms.2), sum(observations))) as chances,
            if(
                above is null,
                toFloat64(sum(total)) / 1000000000,
                toFloat64(sum(arraySum((bound, count) -> if(bound = '+Inf' or toFloat64OrZero(bound) > above, count, 0), bounds, counts)))
            ) as events,
            max(metric_name != '') as is_sampled
        from of_arms
        inner join (
            select
                one.1::LowCardinality(String) as feature_name,
                one.2::LowCardinality(String) as environment,
                one.3.metric as metric,
                one.3.above as above,
                if(one.3.direction = 'up', 1 + one.3.threshold, 1 - one.3.threshold) as accepted,
                one.4 as widened_at,
                place
            from (select watched as ones)
            array join ones as one, arrayEnumerate(ones) as place
        ) as guarded using (feature_name, environment)
        where (metric_name = '' or metric_name = metric)
          and metric_type = if(above is null, 'counter', 'histogram')
          and hour >= toStartOfHour(widened_at)
          and hour < widened_at + interval 30 day
        group by place, accepted, above, app_name, hour, arm
    ),
    -- Samples name the variant, so evaluations that only ask whether a feature with variants is on have none.
    arms_and_control as (
        select
            *,
            if(max(arm = 'control') over of_guard, 'control', 'disabled') as control,
            max(arm not in ('control', 'disabled', 'enabled')) over of_guard as has_variants,
            max(arm = 'enabled' and is_sampled) over of_guard as is_enabled_sampled
        from arms_of_hours
        where chances > 0
        window of_guard as (partition by place)
    ),
    -- If a guard is as good for both arms, an arm with a share of the exposures has that share of the events, up to chance:
    -- `surplus` is how many more it has, and chance makes it differ by the square root of `variance`.
    compared_arms as (
        select
            place,
            arm,
            of_control.1 as control,
            any(accepted) as accepted_ratio,
            sum(chances) as arm_chances,
            sum(events) as arm_events,
            sum(of_control.2) as control_chances,
            sum(of_control.3) as control_events,
            sum(events * of_control.2 / (chances + of_control.2)) as weighted_events,
            sum(of_control.3 * chances / (chances + of_control.2)) as weighted_control_events,
            sum(events - all_events * share) as surplus,
            sum(all_events * share * (1 - share)) as variance
        from (
            select
                place,
                accepted,
                of_control,
                of_arm.1 as arm,
                of_arm.2 as chances,
                of_arm.3 as events,
                events + of_control.3 as all_events,
                chances * accepted / (chances * accepted + of_control.2) as share
            from (
                select
                    place,
                    accepted,
                    argMax((a.arm, a.chances, a.events), a.arm = a.control) as of_control,
                    groupArrayIf((a.arm, a.chances, a.events), a.arm not in ('control', 'disabled')) as others
                from arms_and_control as a
                where a.arm != 'enabled'
                   or not has_variants
                   or is_enabled_sampled
                group by place, accepted, app_name, hour
                having max(a.arm = a.control)
            )
            array join others as of_arm
        )
        group by place, arm, control
    ),
    -- People look every minute, so a p-value for one look would be small sooner or later. `evidence` is the logarithm of how
    -- much likelier the events are if the ratio of the arms differs (its logarithm is normal with variance 0.01) than if it does
    -- not. It exceeds log(1 / chance) at any time in at most that share of harmless rollouts (Robbins, 1970).
    harmful_rollouts as (
        select
            *,
            [
                concat('Since ', formatDateTime(since, '%F %R UTC'), ' the arm '),
                worst.2,
                concat(' has ', toString(round(worst.5, 3)), ' '),
                worst.1.metric,
                concat(
                    if(worst.1.above is null, '', concat(' above ', toString(worst.1.above))), ' in ', toString(worst.4),
                    if(worst.1.above is null, ' evaluations', ' observations'), ', and '
                ),
                worst.3,
                concat(
                    ' has ', toString(round(worst.7, 3)), ' in ', toString(worst.6),
                    '. Chance does as much in fewer than ', toString(100 * harmful_chance), ' % of harmless rollouts.'
                )
            ] as parts
        from (
            select
                one.1::LowCardinality(String) as feature_name,
                one.2::LowCardinality(String) as environment,
                toStartOfHour(any(one.4)) as since,
                argMax(
                    (one.3, arm, control, arm_chances, arm_events, control_chances, control_events, weighted_events / greatest(weighted_control_events, 0.5), accepted_ratio),
                    (has(one.3.turn_off, environment), evidence)
                ) as worst
            from (
                select
                    *,
                    watched[place] as one,
                    count() over (partition by place) as compared,
                    0.01 * surplus * surplus / 2 / (1 + 0.01 * variance) - log(1 + 0.01 * variance) / 2 as evidence
                from compared_arms
            )
            where if(one.3.direction = 'up', surplus > 0, surplus < 0)
              and evidence > log(compared / harmful_chance)
            group by feature_name, environment
        )
    )
