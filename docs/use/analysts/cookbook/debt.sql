-- Cookbook: debt
-- Which flags are older than they should be, and what they cost.

-- Which team has how many flags, and how many of them are old?
-- Beware: People write `owner`, so `Search team` and `search team` differ.
select
    if(f.owner = '', 'nobody', f.owner) as responsible,
    count() as flags,
    countIf(f.stale) as stale,
    countIf(f.created_at < today() - 90 and f.type in ('release', 'experiment')) as old,
    arraySort(groupUniqArrayArray(f.tags)) as tags
from features as f
where not f.archived
group by responsible
order by flags desc, responsible;

-- Does the debt of flags grow?
-- Chart: `overdue_flags` as a line, `constant_evaluations` as an area.
-- Beware: A flag is overdue when it is older than its type lasts in Unleash: release and experiment 40 days,
-- operational 7. Owner, project and type are those of now.
select
    dateDiff('day', d.day, today()) as days_ago,
    sum(d.flags) as flags,
    sum(d.overdue_flags) as overdue_flags,
    sum(d.evaluations) as evaluations,
    sum(d.constant_evaluations) as constant_evaluations
from flag_debt_by_day as d
where d.is_complete
  and days_ago % 7 = 1
  and d.day >= today() - 22
group by days_ago
order by days_ago;

-- Which team has the most to clean up?
-- Beware: A team that takes over a flag takes its past too. The share is 0 in the first month.
select
    d.project,
    d.owner,
    sumIf(d.overdue_flags, d.day = today() - 1) as overdue_now,
    sumIf(d.overdue_flags, d.day = today() - 28) as overdue_before,
    round(100 * sum(d.constant_evaluations) / greatest(sum(d.evaluations), 1), 1) as percent_constant
from flag_debt_by_day as d
where d.day >= today() - 28
  and d.is_complete
group by d.project, d.owner
order by overdue_now desc, d.project;

-- Which flags live longest?
-- Beware: Types that stay on purpose are left out.
select
    f.feature_name,
    f.type,
    dateDiff('day', f.created_at, now()) as age_in_days,
    sum(u.evaluations) as evaluations_last_week,
    f.stale
from features as f
left join (
    select feature_name, sum(d.yes + d.no) as evaluations
    from totals_by_day as d
    where d.day >= today() - 7
      and d.day < today()
    group by feature_name
) as u on u.feature_name = f.feature_name
where not f.archived
  and f.type not in ('kill-switch', 'permission')
group by f.feature_name, f.type, age_in_days, f.stale
order by age_in_days desc, f.feature_name
limit 5;
