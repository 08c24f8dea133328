    -- Every evaluation and every sample.
    of_arms as (
        select *
        from (
            select
                feature_name,
                environment,
                '' as metric_name,
                'counter' as metric_type,
                app_name,
                hour,
                0 as total,
                0 as observations,
                []::Array(String) as bounds,
                []::Array(UInt64) as counts,
{include impact/arms_of_usage.sql}
            from usage_hourly as u
            union all
            select
                feature_name,
                environment,
                '' as metric_name,
                'counter' as metric_type,
                app_name,
                hour,
                0 as total,
                0 as observations,
                []::Array(String) as bounds,
                []::Array(UInt64) as counts,
{include impact/arms_of_variants.sql}
            from variants_hourly as v
            where variant not in ('enabled', 'disabled')
            union all
            select
                feature_name,
                environment,
                metric_name,
                metric_type,
                app_name,
                hour,
                i.total as total,
                i.observations as observations,
                i.bucketsMap.bound as bounds,
                i.bucketsMap.count as counts,
                (arm, 0) as arms
            from impact_hourly as i
            array join label_names as feature_name, label_values as arm
            where metric_name global in (select arrayJoin(watched.3.metric))
        )
        where feature_name global in (select arrayJoin(watched.1))
          and hour >= exposed_from
          and hour < at
    ),
