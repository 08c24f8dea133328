-- Sums over all features, as those over all applications of 0008: traffic by application reads a thousandth of the rows.

alter table usage_hourly {on_cluster}
    add projection if not exists of_all_features
    (
        select hour, environment, app_name, sum(yes), sum(no), sum(reports)
        group by hour, environment, app_name
    );

alter table usage_daily {on_cluster}
    add projection if not exists of_all_features
    (
        select day, environment, app_name, sum(yes), sum(no), sum(reports)
        group by day, environment, app_name
    );

alter table usage_hourly {on_cluster} materialize projection of_all_features settings mutations_sync = 0;

alter table usage_daily {on_cluster} materialize projection of_all_features settings mutations_sync = 0;

-- Marks have no environment, and features have no place here.

create view if not exists app_totals_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated features',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it',
    is_complete Bool comment 'Whether the hour is over'
)
definer = current_user sql security definer
as select
    hour,
    environment,
    app_name,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_hourly as u
where environment != ''
group by hour, environment, app_name
comment 'Evaluations per hour, environment and application, of all features together: a thousandth of the rows of usage_by_hour';

create view if not exists app_totals_by_day {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated features',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it',
    is_complete Bool comment 'Whether the day is over'
)
definer = current_user sql security definer
as select
    day,
    environment,
    app_name,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_daily as u
where environment != ''
group by day, environment, app_name
comment 'Evaluations per day, environment and application, of all features together: a thousandth of the rows of usage_by_day';
