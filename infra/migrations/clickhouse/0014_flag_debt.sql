-- The debt of flags: those that are older than their type lasts, and evaluations of those that decide nothing. Every day is
-- computed from counts, events and the catalogue, so that history is there from the first day on. Owner, project and type are
-- those of now. As in Unleash, a release or an experiment lasts 40 days and an operational flag 7. All other types are
-- permanent, and no debt.

-- What each feature decided on each day, which needs sums over 30 days. Only days since the first one whose counts changed are
-- computed again, because all of them take a minute. No engine of ours: each server has its own, also with replicas, and with
-- several shards in the database that reads all of them.
create table if not exists feature_days {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    day Date comment 'Day (UTC) of the evaluations',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    unknown UInt64 comment 'Evaluations whose result the sender did not report',
    is_constant Bool comment 'Whether those of the day and the 29 days before it are more than 1000, and all the same by report'
)
engine = MergeTree
order by (day, feature_name, environment)
comment 'Evaluations of each feature on each of the last 780 days, for flag_debt_snapshot';

-- A refresh replaces the table at once, or not at all. So its sums are those of the counts that all its rows were computed from.
create materialized view if not exists feature_days_refresh {on_cluster}
refresh after 10 minute
to feature_days
empty
definer = current_user sql security definer
as with
    toDate(now('UTC') - interval 5 minute) as current_day,
    current_day - 780 as before_days,
    (
        select coalesce(minOrNull(sums_day), current_day + 1)
        from (
            select sums_day
            from (
                select
                    u.day as sums_day,
                    sum(u.yes)::Int128 as sum_of_yes,
                    sum(u.no)::Int128 as sum_of_no,
                    sum(u.unknown)::Int128 as sum_of_unknown
                from usage_daily as u
                where u.day > before_days
                group by sums_day
                union all
                select
                    d.day as sums_day,
                    -sum(d.yes)::Int128 as sum_of_yes,
                    -sum(d.no)::Int128 as sum_of_no,
                    -sum(d.unknown)::Int128 as sum_of_unknown
                from feature_days as d
                where d.day > before_days
                group by sums_day
            )
            group by sums_day
            having sum(sum_of_yes) != 0 or sum(sum_of_no) != 0 or sum(sum_of_unknown) != 0
        )
    ) as first_changed
select feature_name, environment, day, yes, no, unknown, is_constant
from feature_days as d
where d.day > before_days
  and d.day < first_changed
union all
select feature_name, environment, run_day, day_yes, day_no, day_unknown, is_constant
from (
    select
        feature_name,
        environment,
        run_day,
        of_day.day_yes as day_yes,
        of_day.day_no as day_no,
        of_day.day_unknown as day_unknown,
        sum(of_day.day_yes) over month_before as long_yes,
        sum(of_day.day_no) over month_before as long_no,
        sum(of_day.day_unknown) over month_before as long_unknown,
        long_yes + long_no > 1000 and (long_yes = 0 or long_no = 0) and long_unknown = 0 as is_constant
    from (
        select
            u.day as run_day,
            feature_name,
            environment,
            sum(u.yes) as day_yes,
            sum(u.no) as day_no,
            sum(u.unknown) as day_unknown
        from usage_daily as u
        where u.day > before_days
          and u.day >= first_changed - 29
        group by run_day, feature_name, environment
    ) as of_day
    window month_before as (
        partition by feature_name, environment
        order by toUInt32(run_day)
        range between 29 preceding and current row
    )
)
where run_day >= first_changed
settings max_threads = 1
comment 'Computes the days of feature_days again that have changed';

-- Computed again and again like the verdicts on features, on one thread. Each server has its own, also with replicas.
create materialized view if not exists flag_debt_snapshot {on_cluster}
refresh after 10 minute depends on feature_days_refresh
(
{include flag_debt_columns.sql}
    computed_at DateTime('UTC') comment 'As of when'
)
engine = MergeTree
order by (day, project, owner)
empty
definer = current_user sql security definer
as with
    toDate(now('UTC') - interval 5 minute) as current_day,
    750 as kept_days,
    flags_of_now as (
        select
            name::LowCardinality(String) as flag,
            project as of_project,
            owner as of_owner,
            archived as archived_now,
            greatest(toDate(created_at), current_day - kept_days) as first_day,
            toDate(created_at) + transform(type, ['release', 'experiment', 'operational'], [40, 40, 7], 0) as lasts_until,
            type in ('release', 'experiment', 'operational') as is_temporary,
            archivings
        from feature_copies final
        left join (
            select
                feature_name as name,
                arraySort(groupArray((toDate(event_copies.created_at), id, event_copies.type = 'feature-archived'))) as archivings
            from event_copies final
            where event_copies.type in ('feature-archived', 'feature-revived')
            group by feature_name
        ) as changes using (name)
    ),
    first_seen as (
        select feature_name, environment, toDate(min(s.first_hour)) as seen_from
        from feature_app_seen_states as s
        group by feature_name, environment
    )
select
    day,
    project,
    owner,
    sum(of_flags) as flags,
    sum(of_overdue) as overdue_flags,
    sum(of_evaluations) as evaluations,
    sum(of_constant) as constant_evaluations,
    now('UTC') as computed_at
from (
    select
        arrayJoin(arrayMap(n -> first_day + n, range(toUInt32(current_day - first_day + 1)))) as day,
        of_project as project,
        of_owner as owner,
        1 as of_flags,
        toUInt64(is_temporary and day > lasts_until) as of_overdue,
        toUInt64(0) as of_evaluations,
        toUInt64(0) as of_constant
    from flags_of_now
    where not multiIf(
        empty(archivings), archived_now,
        archivings[1].1 > day, not archivings[1].3,
        arrayLast(change -> change.1 <= day, archivings).3
    )
    union all
    select
        d.day as run_day,
        of_project,
        of_owner,
        0,
        0,
        d.yes + d.no + d.unknown as run_evaluations,
        if(d.is_constant and is_temporary and seen_from <= run_day - 29, run_evaluations, 0)
    from feature_days as d
    inner join flags_of_now on flags_of_now.flag = d.feature_name
    inner join first_seen on first_seen.feature_name = d.feature_name and first_seen.environment = d.environment
    where run_day >= current_day - kept_days
)
group by day, project, owner
settings join_use_nulls = 0, max_threads = 1
comment 'The debt of flags on each day as of the last ten minutes. Read flag_debt_by_day instead';

create view if not exists flag_debt_by_day {on_cluster}
(
{include flag_debt_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended',
    computed_at DateTime('UTC') comment 'As of when'
)
definer = current_user sql security definer
as select
    day,
    project,
    owner,
    flags,
    overdue_flags,
    evaluations,
    constant_evaluations,
    (day < toDate(computed_at - interval 5 minute))::Bool as is_complete,
    computed_at
from flag_debt_snapshot
comment 'Flags older than their type lasts, and evaluations of flags that decide nothing, on each of the last 750 days; computed again each ten minutes';
