-- Cookbook: usage
-- How often flags are evaluated, and how often they are on.

-- How often was a flag evaluated, and how often was it on?
-- Beware: Hours are kept for 90 days. For earlier days use `usage_by_day`.
select
    dateDiff('day', toDate(u.hour), today()) as days_ago,
    sum(u.yes) as yes,
    sum(u.no) as no,
    round(100 * yes / (yes + no), 1) as percent_on
from feature_usage(feature = 'new-checkout', environment = 'production') as u
where u.hour >= today() - 10
  and u.hour < today()
group by days_ago
order by days_ago;

-- Is the percentage the same in every application?
-- Beware: An application with a very different share usually lacks a context field, such as `userId`, or has an old
-- SDK.
select
    u.app_name,
    sum(u.yes + u.no + u.unknown) as evaluations,
    round(100 * sum(u.yes) / sum(u.yes + u.no), 1) as percent_on
from feature_usage(feature = 'new-checkout', environment = 'production') as u
where u.hour >= today() - 7
  and u.hour < today()
group by u.app_name
order by evaluations desc;

-- Which features are evaluated most?
-- Beware: Evaluations are calls, not users. A flag that is evaluated in a loop leads every list.
select
    u.feature_name,
    sum(u.yes + u.no + u.unknown) as evaluations,
    round(100 * evaluations / sum(evaluations) over (), 1) as percent_of_all
from totals_by_day as u
where u.day = today() - 1
  and u.environment = 'production'
group by u.feature_name
order by evaluations desc
limit 5;

-- What moved most, against the same day a week before?
-- Beware: Counts are unsigned: without `toInt64`, `yesterday - week_before` wraps around below zero. Small numbers have
-- the largest percentages.
select
    u.feature_name,
    sumIf(u.yes + u.no + u.unknown, u.day = today() - 1) as yesterday,
    sumIf(u.yes + u.no + u.unknown, u.day = today() - 8) as week_before,
    if(week_before = 0, null, round(100 * (yesterday / week_before - 1), 1)) as change_percent
from totals_by_day as u
where u.day in (today() - 1, today() - 8)
  and u.environment = 'production'
group by u.feature_name
having yesterday + week_before > 100
order by abs(toInt64(yesterday) - toInt64(week_before)) desc
limit 5;

-- When is the busiest hour of the day?
-- Beware: An hour without evaluations has no row, so missing days make the average too high.
select
    toHour(u.hour) as hour_of_day,
    round(sum(u.yes + u.no + u.unknown) / uniqExact(toDate(u.hour))) as evaluations_a_day
from app_totals_by_hour as u
where u.hour >= today() - 14
  and u.hour < today()
  and u.environment = 'production'
group by hour_of_day
order by evaluations_a_day desc
limit 3;

-- What is the trend, without the ups and downs of weekdays?
-- Beware: Read six days more than you print.
select
    dateDiff('day', t.day, today()) as days_ago,
    t.evaluations,
    round(avg(t.evaluations) over (order by t.day rows between 6 preceding and current row)) as average_of_7_days
from (
    select u.day as day, sum(u.yes + u.no + u.unknown) as evaluations
    from totals_by_day as u
    where u.day >= today() - 20
      and u.day < today()
      and u.environment = 'production'
    group by u.day
) as t
order by days_ago
limit 7;

-- Which applications evaluate the flags of a project?
-- Beware: The inner join leaves out flags that are not in `features`. Keep the large side on the left.
select
    u.app_name,
    uniqExact(u.feature_name) as features,
    sum(u.yes + u.no + u.unknown) as evaluations
from usage_by_day as u
join features as f on f.feature_name = u.feature_name
where f.project = 'search'
  and u.environment = 'production'
  and u.day >= today() - 7
  and u.day < today()
group by u.app_name
order by evaluations desc;

-- What did each local day look like, in the time zone of the users?
-- Beware: Zones with half hours, such as `Asia/Kolkata`, cannot be split exactly. West of UTC end at `today() - 1`.
select
    dateDiff('day', toDate(u.hour, 'Asia/Tokyo'), today()) as local_days_ago,
    sum(u.yes + u.no + u.unknown) as evaluations,
    round(100 * sum(u.yes) / sum(u.yes + u.no), 1) as percent_on,
    toHour(argMax(u.hour, u.yes + u.no + u.unknown), 'Asia/Tokyo') as busiest_local_hour
from feature_usage(feature = 'new-checkout', environment = 'production') as u
where u.hour >= toDateTime(today() - 3, 'Asia/Tokyo')
  and u.hour < toDateTime(today(), 'Asia/Tokyo')
group by local_days_ago
order by local_days_ago;

-- Is this week normal, weekday by weekday?
-- Beware: A holiday looks like a fault, and fewer than three `weeks` mean little.
select
    dateDiff('day', max(d.day), today()) as days_ago,
    sumIf(d.evaluations, d.day >= today() - 7) as evaluations,
    round(avgIf(d.evaluations, d.day < today() - 7)) as same_weekday_before,
    countIf(d.day < today() - 7) as weeks,
    round(100 * (evaluations / same_weekday_before - 1), 1) as change_percent
from (
    select u.day as day, sum(u.yes + u.no + u.unknown) as evaluations
    from totals_by_day as u
    where u.day >= today() - 28
      and u.day < today()
      and u.environment = 'production'
    group by u.day
) as d
group by toDayOfWeek(d.day)
order by days_ago;

-- Which share of the traffic comes from each environment?
-- Beware: A production token counts as production, even on a test machine.
select
    u.environment,
    sum(u.yes + u.no + u.unknown) as evaluations,
    round(100 * evaluations / sum(evaluations) over (), 1) as percent_of_traffic,
    uniqExact(u.app_name) as applications
from app_totals_by_day as u
where u.day >= today() - 7
  and u.day < today()
group by u.environment
order by evaluations desc;
