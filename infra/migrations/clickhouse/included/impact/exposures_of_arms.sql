    -- The evaluations of each arm, by hour if exposed_by_hour, from exposed_from until exposed_until, of exposed_features.
    -- SDKs also count a variant disabled whenever a feature has no variant, so it tells no arm.
    exposures_of_arms as (
        select feature_name, environment, app_name, exposed_at as hour, arms.1 as arm, arms.2 as exposures
        from (
            select
                feature_name,
                environment,
                app_name,
                exposed_at,
                sumMap(served) as by_variant,
                arraySum(mapValues(by_variant)) as with_variant,
                arrayJoin(arrayConcat(
                    [('disabled', sum(no)), ('enabled', toUInt64(sum(yes) - least(sum(yes), with_variant)))],
                    arrayZip(mapKeys(by_variant), mapValues(by_variant))
                )) as arms
            from (
                select
                    feature_name,
                    environment,
                    app_name,
                    if(exposed_by_hour, hour, exposed_from) as exposed_at,
                    u.yes as yes,
                    u.no as no,
                    map()::Map(String, UInt64) as served
                from usage_hourly as u
                where feature_name global in (select feature_name from exposed_features)
                  and hour >= exposed_from
                  and hour < exposed_until
                union all
                select
                    feature_name,
                    environment,
                    app_name,
                    if(exposed_by_hour, hour, exposed_from) as exposed_at,
                    0 as yes,
                    0 as no,
                    map(variant::String, v.count) as served
                from variants_hourly as v
                where feature_name global in (select feature_name from exposed_features)
                  and variant not in ('enabled', 'disabled')
                  and hour >= exposed_from
                  and hour < exposed_until
            )
            group by feature_name, environment, app_name, exposed_at
        )
        where exposures > 0
    ),
