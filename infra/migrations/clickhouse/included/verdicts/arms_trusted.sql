    -- What tokens sent that are trusted.
    of_arms as (
        select
            feature_name,
            environment,
            metric_name,
            if(metric_name = '', 'counter', metric_type) as metric_type,
            app_name,
            hour,
            e.total as total,
            e.observations as observations,
            e.bucketsMap.bound as bounds,
            e.bucketsMap.count as counts,
            (arm, exposures) as arms
        from evidence_hourly as e
        where feature_name in {features:Array(String)}
          and token_id in {tokens:Array(String)}
          and hour >= exposed_from
          and hour < at
    ),
