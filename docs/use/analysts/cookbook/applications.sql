-- Cookbook: applications and SDKs
-- Who evaluates: applications, instances, SDKs and relays.

-- How much traffic comes from each SDK version?
-- Beware: Metrics name the application. If it runs several versions, its traffic is divided by the number of instances:
-- an estimate.
select
    i.sdk_version,
    sum(i.instances) as instances,
    round(sum(u.evaluations * i.instances / i.all_instances)) as about_evaluations
from (
    select
        app_name,
        sdk_version,
        count() as instances,
        sum(instances) over (partition by app_name) as all_instances
    from instances
    where environment = 'production'
    group by app_name, sdk_version
) as i
join (
    select app_name, sum(d.yes + d.no) as evaluations
    from app_totals_by_day as d
    where d.day = today() - 1
      and d.environment = 'production'
    group by app_name
) as u on u.app_name = i.app_name
group by i.sdk_version
order by about_evaluations desc;

-- Which SDK versions still call this flag?
-- Beware: A version is listed if its application evaluated the flag. For the last day of 30 add `and i.last_seen >=
-- now() - interval 1 day`.
select
    i.sdk_version,
    arraySort(groupUniqArray(trim(concat(i.platform_name, ' ', i.platform_version)))) as platforms,
    arraySort(groupUniqArray(i.app_name)) as applications,
    count() as instances
from instances as i
where i.environment = 'production'
  and i.app_name in (
    select u.app_name
    from usage_by_day as u
    where u.feature_name = 'fast-search'
      and u.environment = 'production'
      and u.day >= today() - 7
  )
group by i.sdk_version
order by instances desc, i.sdk_version;

-- Which relay reports what?
-- Chart: a Sankey diagram from applications to relays.
-- Beware: An instance shows the relays of its last report only. Instances without an id share the row `default`.
select
    if(relay = '', 'none', relay) as through,
    uniqExactIf(relay_instance, relay != '') as processes,
    arraySort(groupUniqArray(app_name)) as applications,
    count() as instances
from instances
left array join relays as relay, relay_instances as relay_instance
where environment = 'production'
  and last_seen >= now() - interval 1 day
group by through
order by instances desc, through;

-- Which relays are silent, and since when?
-- Beware: Each restart of an Unleash Edge leaves a silent relay; only the admin API and the console know which. For
-- relays that are silent now, compare with `now('UTC') - interval 5 minute`.
select
    relay_id,
    region,
    version,
    dateDiff('hour', last_report_at, toStartOfDay(now('UTC'))) as hours_before_today
from relays
where last_report_at < toStartOfDay(now('UTC')) - interval 1 hour
order by last_report_at desc;

-- How busy and how slow was each relay?
-- Beware: A relay computes its latency since its own start, so a slow minute moves it little after weeks.
select
    dateDiff('day', r.day, today()) as days_ago,
    relay_id,
    round(sum(r.requests) / sum(r.seconds), 2) as requests_per_second,
    max(r.features_latency_ms) as features_ms,
    max(r.features_p99_ms) as p99_ms
from relays_by_day as r
where r.is_complete
group by days_ago, relay_id
order by days_ago, relay_id;

-- Which relays have an old configuration?
-- Beware: Revisions are numbers of events of Unleash: compare them within one `held` only. Leave out silent relays.
select
    relay_id,
    key as held,
    revision,
    max(revision) over (partition by key) - revision as behind
from relays
array join mapKeys(revisions) as key, mapValues(revisions) as revision
order by behind desc, relay_id, key;

-- Which applications run several versions of an SDK?
-- Beware: Several versions are normal during a deployment. Instances stay listed for 30 days.
select app_name, arraySort(groupUniqArray(sdk_version)) as versions, count() as instances
from instances
where environment = 'production'
group by app_name
having length(versions) > 1
order by app_name;

-- Which instances stopped reporting?
-- Beware: An instance that was shut down is silent too. The verdict compares an instance with those beside it.
select app_name, value as instances, subject as silent_for_longest
from app_verdicts
where environment = 'production'
  and verdict = 'silent_instance'
order by app_name;

-- Which application was missing for some hours?
-- Chart: a heat map of applications and hours.
-- Beware: An application without any evaluation on that day is only in `app_seen`.
select t.app_name, 24 - length(t.hours) as hours_missing, arrayFilter(h -> not has(t.hours, h), range(24)) as which
from (
    select app_name, groupUniqArray(toHour(hour)) as hours
    from app_totals_by_hour
    where hour >= today() - 1
      and hour < today()
      and environment = 'production'
    group by app_name
) as t
where hours_missing > 0
order by t.app_name;

-- How does a new SDK version ramp up in the applications that evaluate a flag?
-- Chart: a stacked area of 100 % per day.
-- Beware: These are instances, not evaluations. One that keeps its id during an upgrade counts with its newest version
-- from its first day.
select
    d.days_ago,
    i.sdk_version,
    count() as instances,
    round(100 * instances / sum(instances) over (partition by d.days_ago), 1) as percent_of_instances
from instances as i
cross join (select arrayJoin([6, 4, 2, 1]) as days_ago) as d
where i.environment = 'production'
  and i.app_name in (
    select u.app_name
    from usage_by_day as u
    where u.feature_name = 'new-checkout'
      and u.environment = 'production'
      and u.day >= today() - 7
  )
  and i.first_seen < today() - d.days_ago + 1
  and i.last_seen >= today() - d.days_ago
group by d.days_ago, i.sdk_version
order by d.days_ago desc, i.sdk_version;

-- What does each application cost, in rows and bytes?
-- Beware: These are the rows that stay for 25 months; hours, which stay for 90 days, have up to 24 times as many. Bytes
-- are those before compression; `stored_bytes` of the view `retention` has those on disk.
select
    t.app_name,
    sum(t.stored_rows) as rows_a_day,
    sum(t.bytes) as bytes_a_day,
    round(100 * sum(t.bytes) / sum(sum(t.bytes)) over (), 1) as percent_of_bytes
from (
    select
        u.app_name as app_name,
        count() as stored_rows,
        sum(byteSize(toString(u.feature_name), toString(u.environment), toString(u.app_name), u.day, u.yes, u.no, u.reports)) as bytes
    from usage_by_day as u
    where u.day = yesterday()
    group by u.app_name
    union all
    select
        v.app_name,
        count(),
        sum(byteSize(toString(v.feature_name), toString(v.environment), toString(v.app_name), toString(v.variant), v.day, v.count))
    from variants_by_day as v
    where v.day = yesterday()
    group by v.app_name
) as t
group by t.app_name
order by bytes_a_day desc;
