-- Cookbook: impact
-- What the arms of a feature do to impact metrics.

-- Which variant converts best, and is the difference real?
-- Chart: a dot per arm with a bar from `low` to `high`, a line at 1.
-- Beware: Exposures are evaluations, not people. Choose the period before you look.
select
    arm,
    exposures,
    value as purchases,
    round(100 * per_exposure, 2) as percent,
    round(ratio, 2) as ratio,
    round(ratio_low, 2) as low,
    round(ratio_high, 2) as high,
    if(p_value < 0.0001, '< 0.0001', toString(round(p_value, 4))) as p
from feature_impact(since = toDateTime(today() - 28, 'UTC'), until = toDateTime(today(), 'UTC'))
where feature_name = 'price-experiment'
  and environment = 'production'
  and metric_name = 'purchases'
order by arm;

-- Did the error rate rise when the rollout was widened?
-- Beware: Compare with the other arm on the same day: errors follow the hour and the weekday too.
select
    dateDiff('day', i.day, today()) as days_ago,
    sumIf(i.value, labels['new-checkout'] = 'enabled') as errors_on,
    sumIf(i.value, labels['new-checkout'] = 'disabled') as errors_off,
    round(1000 * errors_on / any(u.yes), 1) as per_1000_on,
    round(1000 * errors_off / any(u.no), 1) as per_1000_off
from impact_by_day as i
join (
    select day, sum(t.yes) as yes, sum(t.no) as no
    from usage_by_day as t
    where feature_name = 'new-checkout'
      and environment = 'production'
      and app_name = 'web-shop'
    group by day
) as u on u.day = i.day
where metric_name = 'errors'
  and app_name = 'web-shop'
  and i.day >= today() - 9
  and i.day < today()
group by i.day
order by days_ago;

-- How slow is each arm of a rollout?
-- Beware: Percentiles are estimated within a bucket: choose bounds close to your limit.
select
    arm,
    observations,
    round(1000 * value / observations) as mean_ms,
    round(1000 * p50) as p50_ms,
    round(1000 * p95) as p95_ms,
    round(1000 * p99) as p99_ms
from feature_impact(since = toDateTime(today() - 7, 'UTC'), until = toDateTime(today(), 'UTC'))
where feature_name = 'new-checkout'
  and metric_name = 'response_seconds'
order by arm;

-- Which impact metrics are worse where the feature is on?
-- Beware: Name the metrics for which more is worse. Of 40 features without any effect, one looks worse by chance.
select
    feature_name,
    metric_name,
    round(ratio, 2) as ratio,
    round(ratio_low, 2) as low,
    round(ratio_high, 2) as high
from feature_impact(since = toDateTime(today() - 1, 'UTC'), until = toDateTime(today(), 'UTC'))
where environment = 'production'
  and metric_type = 'counter'
  and metric_name in ('errors')
  and arm = 'enabled'
  and ratio_low > 1
order by ratio desc;

-- How do exposure and impact move together, hour by hour?
-- Chart: `percent_on` as an area, `per_1000_on` as a line.
-- Beware: An hour with few exposures has few events, and its rate jumps.
select
    toHour(h.hour) as hour,
    round(100 * any(u.yes) / any(u.yes + u.no)) as percent_on,
    sumIf(h.value, labels['new-checkout'] = 'enabled') as errors_on,
    round(1000 * errors_on / any(u.yes), 1) as per_1000_on
from impact_by_hour as h
join (
    select hour, sum(t.yes) as yes, sum(t.no) as no
    from feature_usage(feature = 'new-checkout', environment = 'production') as t
    where app_name = 'web-shop'
    group by hour
) as u on u.hour = h.hour
where metric_name = 'errors'
  and h.hour >= today() - 1
  and h.hour < today()
  and toHour(h.hour) % 4 = 0
group by h.hour
order by h.hour;

-- Which impact metrics have the most series?
-- Beware: A label with the id of a user makes a series for each user, up to `MAX_SERIES_PER_HOUR`.
select
    metric_name,
    metric_type,
    uniqExact(app_name, labels) as series,
    sum(i.samples) as samples
from impact_by_day as i
where day >= today() - 28
  and day < today()
group by metric_name, metric_type
order by series desc, metric_name;
