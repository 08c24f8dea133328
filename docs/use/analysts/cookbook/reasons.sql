-- Cookbook: reasons and errors
-- Why flags have their values: only of applications that send OpenTelemetry.

-- Which evaluations fail, and why?
-- Beware: A failed evaluation returns the default of the code. It counts as no, unless the default is `true`.
select
    feature_name,
    error_type,
    sum(r.evaluations) as errors,
    sumIf(r.evaluations, hour >= today() - 1) as yesterday
from reasons_by_hour as r
where reason = 'error'
  and environment = 'production'
  and hour >= today() - 7
  and hour < today()
group by feature_name, error_type
order by yesterday desc, feature_name
limit 8;

-- Why does a flag have its values, day by day?
-- Chart: an area of each percentage over the days.
-- Beware: Applications without OpenTelemetry are missing: compare with `usage_by_day`.
select
    dateDiff('day', day, today()) as days_ago,
    sum(r.evaluations) as evaluations,
    round(100 * sumIf(r.evaluations, reason = 'targeting_match') / evaluations, 1) as percent_targeted,
    round(100 * sumIf(r.evaluations, reason = 'default') / evaluations, 1) as percent_default,
    round(100 * sumIf(r.evaluations, reason = 'error') / evaluations, 1) as percent_failed
from reasons_by_day as r
where feature_name = 'new-checkout'
  and environment = 'production'
  and day >= today() - 7
  and day < today()
group by days_ago
order by days_ago desc;

-- Which flags are stale, in each flag system?
-- Beware: The counts are those of all systems; a flag that two systems have is in two lines. Relays and SDKs of Unleash
-- name no system.
with systems as (
    select distinct feature_name, environment, provider
    from reasons_by_day
    where day >= today() - 14
),
constant as (
    select feature_name, environment, sum(u.yes) as yes, sum(u.no) as no
    from totals_by_day as u
    where day >= today() - 14
      and day < today()
    group by feature_name, environment
    having yes = 0 or no = 0
)
select
    if(s.provider = '', 'not named', s.provider) as system,
    c.feature_name as feature,
    if(c.no = 0, 'on', 'off') as always,
    c.yes + c.no as evaluations,
    f.owner
from constant as c
left join systems as s on s.feature_name = c.feature_name and s.environment = c.environment
left join features as f on f.feature_name = c.feature_name
where c.environment = 'production'
  and f.type != 'experiment'
order by system, evaluations desc;
