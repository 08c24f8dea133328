    -- Every evaluation and every sample.
    of_arms as (
            select
                feature_name,
                environment,
                '' as metric_name,
                'counter' as metric_type,
                app_name,
                hour,
                arm,
                exposures,
                0. as value,
                0 as observations,
                []::Array(String) as bounds,
                []::Array(UInt64) as counts
            from exposures_by_hour
            where feature_name global in (select feature_name from exposed_features)
              and hour >= exposed_from
              and hour < at
              and exposures > 0
            union all
            select
                feature_name,
                environment,
                metric_name,
                metric_type,
                app_name,
                hour,
                arm,
                0 as exposures,
                toFloat64(sum(i.total)) / 1000000000 as value,
                sum(i.observations) as observations,
                (sumMap(i.bucketsMap.bound, i.bucketsMap.count, i.bucketsMap.present) as buckets).1 as bounds,
                buckets.2 as counts
            from impact_hourly as i
            array join label_names as feature_name, label_values as arm
            where metric_name global in (select arrayJoin(guards.metric) from feature_copies final)
              and feature_name global in (select feature_name from exposed_features)
              and hour >= exposed_from
              and hour < at
            group by feature_name, environment, metric_name, metric_type, app_name, hour, arm
    ),
