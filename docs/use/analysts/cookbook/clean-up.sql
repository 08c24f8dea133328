-- Cookbook: cleaning up
-- Which flags can go.

-- Which applications still call an archived flag?
-- Beware: `yes` means an old configuration, or a default in the code.
select
    u.feature_name,
    u.app_name,
    u.environment,
    sum(u.yes + u.no + u.unknown) as evaluations,
    dateDiff('day', max(u.day), today()) as last_days_ago
from usage_by_day as u
join features as f on f.feature_name = u.feature_name
where f.archived
  and u.day >= today() - 7
group by u.feature_name, u.app_name, u.environment
order by evaluations desc;

-- Which flags of each project did nobody evaluate?
-- Beware: A flag that was never evaluated has no row in any usage view: start from `features`. Some are silent on
-- purpose, such as the kill switch of a monthly job.
select
    f.project,
    f.feature_name,
    dateDiff('day', f.created_at, now()) as age_in_days
from features as f
left anti join (
    select distinct feature_name
    from totals_by_day
    where day >= today() - 7
) as u on u.feature_name = f.feature_name
where not f.archived
order by f.project, f.feature_name;

-- When was each flag evaluated last?
-- Beware: A missing row of the join gives the year 1970, so the query compares with 0.
select
    f.feature_name,
    if(max(s.last_hour) = 0, null, dateDiff('day', max(s.last_hour), now())) as days_ago
from features as f
left join feature_seen as s on s.feature_name = f.feature_name
group by f.feature_name
having days_ago is null or days_ago > 1
order by days_ago desc nulls first, f.feature_name;

-- Which flags are the same for everybody, and worth removing first?
-- Beware: A kill switch is always off on purpose. Leave out flags younger than the window, and flags with variants,
-- which are always `yes`.
select
    u.feature_name,
    if(sum(u.no) = 0, 'always on', 'always off') as verdict,
    sum(u.yes + u.no + u.unknown) as evaluations
from totals_by_day as u
join features as f on f.feature_name = u.feature_name
where u.day >= today() - 14
  and u.day < today()
  and u.environment = 'production'
  and not f.archived
  and f.type not in ('kill-switch', 'permission')
group by u.feature_name
having (sum(u.yes) = 0 or sum(u.no) = 0) and sum(u.unknown) = 0
   and evaluations > 1000
   and min(u.day) <= today() - 14
order by evaluations desc;

-- Which flags are evaluated no more, although their code is still there?
-- Beware: A repository that is not scanned is missing.
with last_evaluations as (
    select feature_name, max(s.last_hour) as last_hour
    from feature_seen as s
    group by feature_name
)
select
    c.feature_name,
    dateDiff('day', last_hour, toDateTime(today(), 'UTC')) as days_ago,
    countIf(c.kind = 'call') as calls,
    countIf(c.kind = 'mention') as mentions,
    arraySort(groupUniqArray(c.repository)) as repositories
from code_references as c
join last_evaluations as l on l.feature_name = c.feature_name
where last_hour < today() - 7
group by c.feature_name, days_ago
order by days_ago desc, c.feature_name;

-- Which archived flags does the code still name?
-- Beware: An SDK answers an archived flag with the default of its call. Add `c.branch` if you push several branches of
-- a repository.
select
    c.repository,
    c.feature_name,
    countIf(c.kind = 'call') as calls,
    countIf(c.kind = 'mention') as mentions,
    min((c.path, c.line)) as first_place
from code_references as c
join features as f on f.feature_name = c.feature_name
where f.archived
group by c.repository, c.feature_name
order by calls desc, c.repository, c.feature_name;

-- Which flags are called that do not exist, and what was probably meant?
-- Beware: `nearest` is empty if no name is within two edits. A flag first called in this hour is missing.
select u.feature_name as called, u.app_names, u.evaluations, v.nearest
from (
    select
        feature_name,
        arraySort(groupUniqArray(app_name)) as app_names,
        sum(yes + no + unknown) as evaluations
    from usage_by_day
    where day >= today() - 7
      and feature_name in (select feature_name from feature_verdicts where verdict = 'unknown')
    group by feature_name
) as u
join (
    select feature_name, any(subject) as nearest
    from feature_verdicts
    where verdict = 'unknown'
    group by feature_name
) as v using (feature_name)
order by evaluations desc;

-- Which flags are evaluated in development and not yet in production?
-- Beware: Your environments may have other names: `select distinct environment from feature_seen`.
select s.feature_name, dateDiff('day', min(s.first_hour), now()) as first_days_ago
from feature_seen as s
group by s.feature_name
having countIf(s.environment = 'production') = 0
order by s.feature_name;

-- Which flags are called in an environment where they are switched off?
-- Beware: `yes` means an old configuration, or a flag switched off after those evaluations: `enabled_in` is the current
-- state.
select
    u.feature_name,
    u.environment,
    sum(u.yes) as yes,
    sum(u.no) as no
from totals_by_day as u
join features as f on f.feature_name = u.feature_name
where u.day = today() - 1
  and not has(f.enabled_in, toString(u.environment))
  and not f.archived
group by u.feature_name, u.environment
order by yes desc, u.feature_name;

-- How long did it take from creation to the first evaluation in production?
-- Beware: For flags older than flagmeter here, the first evaluation is the day of its installation. Features evaluated
-- before their creation, such as imported ones, are left out.
select
    f.feature_name,
    dateDiff('day', f.created_at, s.first_hour) as days
from features as f
join feature_seen as s on s.feature_name = f.feature_name
where s.environment = 'production'
  and f.created_at >= today() - 40
  and s.first_hour >= toStartOfHour(f.created_at)
order by days desc, f.feature_name;

-- Which applications would break if a flag were removed?
-- Beware: Applications that got `yes` get `no` after the removal, unless the code has another default. Those that
-- called the flag only before these 14 days are missing.
select
    u.feature_name,
    u.app_name,
    sum(u.yes) as changed,
    sum(u.no) as unchanged,
    round(100 * changed / (changed + unchanged), 1) as percent_changed,
    if(changed > 0, 'breaks', 'unaffected') as verdict,
    dateDiff('day', max(u.day), today()) as last_days_ago
from usage_by_day as u
where u.feature_name in ('fast-search', 'payments-kill-switch', 'beta-banner')
  and u.environment = 'production'
  and u.day >= today() - 14
group by u.feature_name, u.app_name
order by u.feature_name, changed desc;

-- Which flags always move together?
-- Chart: a scatter chart of one pair, a point per day.
-- Beware: A correlation only shows that their shares moved together, -1 in opposite directions. Flags that never move
-- are left out.
with shares as (
    select u.feature_name as name, u.day as day, sum(u.yes) / sum(u.yes + u.no) as share
    from totals_by_day as u
    where u.day >= today() - 28
      and u.day < today()
      and u.environment = 'production'
    group by u.feature_name, u.day
), moving as (
    select name, day, share
    from shares
    where name in (select name from shares group by name having stddevPop(share) > 0.01 and count() >= 14)
)
select
    a.name as flag,
    b.name as moves_with,
    count() as days,
    round(corr(a.share, b.share), 3) as correlation
from moving as a
join moving as b on b.day = a.day
where a.name < b.name
group by flag, moves_with
having days >= 14
   and correlation >= 0.99
order by correlation desc, flag, moves_with;
