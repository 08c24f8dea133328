    -- What tokens sent that are trusted.
    of_arms as (
        select
            feature_name,
            environment,
            metric_name,
            if(metric_name = '', 'counter', metric_type) as metric_type,
            app_name,
            hour,
            arm,
            sum(e.exposures) as exposures,
            toFloat64(sum(e.total)) / 1000000000 as value,
            sum(e.observations) as observations,
            (sumMap(e.bucketsMap.bound, e.bucketsMap.count, e.bucketsMap.present) as buckets).1 as bounds,
            buckets.2 as counts
        from evidence_hourly as e
        where feature_name in {features:Array(String)}
          and token_id in {tokens:Array(String)}
          and hour >= exposed_from
          and hour < at
        group by feature_name, environment, metric_name, metric_type, app_name, hour, arm
        having metric_name != '' or exposures > 0
    ),
