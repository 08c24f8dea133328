/** Questions to the views of impact metrics. */
export const IMPACT_QUESTIONS: Readonly<Record<string, string>> = {
  'an impact metric by arm of a feature, 7 days': `
    select hour, labels[{feature:String}] as arm, sum(i.value) as value
    from impact_by_hour as i
    where mapContains(labels, {feature:String})
      and hour >= now('UTC') - interval 7 day
    group by hour, arm
    order by hour, arm`,
  'impact metrics by day, 90 days': `
    select day, metric_name, sum(i.value) as value
    from impact_by_day as i
    group by day, metric_name
    order by day, metric_name`,
  'exposures of the arms of a feature, 7 days': `
    select hour, arm, sum(x.exposures) as exposures
    from exposures_by_hour as x
    where feature_name = {feature:String}
      and hour >= now('UTC') - interval 7 day
    group by hour, arm
    order by hour, arm`,
  'exposures of the arms of a feature, 90 days': `
    select day, arm, sum(x.exposures) as exposures
    from exposures_by_day as x
    where feature_name = {feature:String}
      and day >= today() - 90
    group by day, arm
    order by day, arm`,
  'buckets of histograms, 24 hours': `
    select metric_name, bound, sum(h.observations) as observations
    from impact_histograms_by_hour as h
    where hour >= now('UTC') - interval 24 hour
    group by metric_name, bound
    order by metric_name, bound`,
  'gauges, 24 hours': `
    select hour, metric_name, max(g.highest) as highest
    from gauges_by_hour as g
    where hour >= now('UTC') - interval 24 hour
    group by hour, metric_name
    order by hour, metric_name`,
  'arms of a feature compared, 7 days': `
    select metric_name, arm, exposures, per_exposure, ratio, p_value
    from feature_impact(since = toDateTime(now('UTC') - interval 7 day, 'UTC'), until = now('UTC'))
    where feature_name = {feature:String}
    order by metric_name, arm`,
  'all impact metrics': `
    select metric_name, metric_type, app_name, features
    from impact_metrics
    order by metric_name`,
};
