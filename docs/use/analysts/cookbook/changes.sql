-- Cookbook: changes
-- What a change of a flag did, and how fast it arrived.

-- Which percentage of a rollout is really served, hour by hour?
-- Chart: stepped lines of both percentages per hour.
-- Beware: The hour of a change contains both percentages. A few users who evaluate often deviate further than `chance`.
select
    formatDateTime(r.hour, '%H:%i') as hour_of_yesterday,
    r.configured_percent,
    r.evaluations,
    round(r.served_percent, 1) as served_percent,
    round(r.chance, 1) as chance,
    r.verdict
from rollout_by_hour as r
where r.feature_name = 'new-checkout'
  and r.environment = 'production'
  and r.hour >= today() - 1
  and r.hour < today()
  and toHour(r.hour) between 9 and 14
order by r.hour;

-- Who changed what, and did the share follow?
-- Chart: the served share per hour, with the events as annotations.
-- Beware: The hour of the change is left out, because SDKs use the old configuration for about a minute.
with changes as (
    select event_id, created_at, created_by, feature_name, environment, before, after
    from events
    where type = 'feature-strategy-update'
      and created_at >= today() - 10
)
select
    formatDateTime(c.created_at, '%H:%i') as time,
    dateDiff('day', c.created_at, now()) as days_ago,
    c.created_by as who,
    c.feature_name,
    JSONExtractString(c.before, 'parameters', 'rollout') as percent_before,
    JSONExtractString(c.after, 'parameters', 'rollout') as percent_after,
    round(100 * sumIf(u.yes, u.hour < c.created_at) / sumIf(u.yes + u.no, u.hour < c.created_at), 1) as served_before,
    round(100 * sumIf(u.yes, u.hour > c.created_at) / sumIf(u.yes + u.no, u.hour > c.created_at), 1) as served_after
from changes as c
join totals_by_hour as u on u.feature_name = c.feature_name and u.environment = c.environment
where u.feature_name in (select feature_name from changes)
  and u.hour >= today() - 11
  and u.hour >= toStartOfHour(c.created_at) - interval 6 hour
  and u.hour <= toStartOfHour(c.created_at) + interval 6 hour
group by c.event_id, c.created_at, c.created_by, c.feature_name, c.before, c.after
order by c.created_at;

-- How fast does a change arrive?
-- Beware: This is the end of the first hour whose share is closer to the new percentage than to the old one; null if
-- there is none within a day.
with changes as (
    select
        feature_name,
        environment,
        valid_from,
        if(enabled, rollout_percent, 0) as percent_after,
        lagInFrame(toNullable(percent_after)) over (partition by feature_name, environment order by valid_from) as percent_before
    from feature_configuration_history
),
recent as (
    select *
    from changes
    where environment = 'production'
      and percent_before != percent_after
      and valid_from >= today() - 14
)
select
    c.feature_name as flag,
    dateDiff('day', c.valid_from, now()) as days_ago,
    c.percent_before as percent_before,
    c.percent_after as percent_after,
    dateDiff('minute', c.valid_from, minOrNullIf(u.hour, abs(100 * u.yes / (u.yes + u.no) - c.percent_after)
        < abs(100 * u.yes / (u.yes + u.no) - c.percent_before)) + interval 1 hour) as within_minutes
from recent as c
join totals_by_hour as u on u.feature_name = c.feature_name and u.environment = c.environment
where u.feature_name in (select feature_name from recent)
  and u.hour >= today() - 14
  and u.hour >= toStartOfHour(c.valid_from)
  and u.hour < toStartOfHour(c.valid_from) + interval 1 day
  and u.yes + u.no > 0
group by flag, c.environment, c.valid_from, percent_before, percent_after
order by c.valid_from, flag;

-- Did my switch act, minute by minute?
-- Chart: the share per minute.
-- Beware: A minute is that in which reports arrived, up to a minute after the evaluations. Minutes are kept for 48
-- hours.
with (
    select max(created_at)
    from events
    where feature_name = 'new-checkout'
      and environment = 'production'
      and created_at >= today() - 1
) as changed_at
select
    formatDateTime(u.minute, '%H:%i') as arrived,
    dateDiff('minute', changed_at, u.minute) as minutes_after,
    sum(u.yes) as yes,
    sum(u.no) as no,
    round(100 * yes / (yes + no), 1) as percent_on
from usage_by_minute as u
where u.feature_name = 'new-checkout'
  and u.environment = 'production'
  and u.minute >= changed_at - interval 3 hour
  and u.minute < changed_at + interval 3 hour
group by u.minute
order by u.minute;

-- Errors began at 12:31. Which flag moved then, and after which change?
-- Beware: Take the minute from your monitoring. A flag may also move because other users came; `last_change` is 00:00
-- and `who` empty without a change.
with
    toDateTime(today() - 1) + interval 751 minute as began_at,
    moved as (
        select
            u.feature_name as flag,
            u.environment as flag_environment,
            100 * sumIf(u.yes, u.minute < began_at) / sumIf(u.yes + u.no, u.minute < began_at) as percent_before,
            100 * sumIf(u.yes, u.minute >= began_at) / sumIf(u.yes + u.no, u.minute >= began_at) as percent_after
        from usage_by_minute as u
        where u.minute >= began_at - interval 2 hour
          and u.minute < began_at + interval 2 hour
        group by flag, flag_environment
        having abs(percent_after - percent_before) > 5
    )
select
    flag,
    flag_environment,
    round(percent_before, 1) as before,
    round(percent_after, 1) as after,
    formatDateTime(maxIf(e.created_at, e.created_at <= began_at), '%H:%i') as last_change,
    argMaxIf(e.type, e.created_at, e.created_at <= began_at) as what,
    argMaxIf(e.created_by, e.created_at, e.created_at <= began_at) as who
from moved
left join events as e on e.feature_name = flag and e.environment = flag_environment
group by flag, flag_environment, before, after
order by abs(after - before) desc, flag;

-- Who still has the old value?
-- Beware: A relay without a connection reports late: what it sends was evaluated before. `instances` has the instances
-- of these applications.
with (
    select max(created_at)
    from events
    where type = 'feature-environment-disabled'
      and feature_name = 'summer-sale'
      and environment = 'production'
) as switched_off_at
select
    u.app_name as application,
    sumIf(u.yes, u.minute > switched_off_at + interval 2 minute) as still_on,
    formatDateTime(maxIf(u.minute, u.yes > 0), '%H:%i') as last_on,
    sumIf(u.no, u.minute > switched_off_at + interval 2 minute) as off
from usage_by_minute as u
where u.feature_name = 'summer-sale'
  and u.environment = 'production'
  and u.minute >= switched_off_at - interval 3 hour
group by application
order by still_on desc, application;
