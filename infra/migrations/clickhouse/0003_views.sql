-- What people read. Base tables may change beneath these.

create view if not exists usage_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it'
)
as select hour, environment, feature_name, app_name, sum(u.yes) as yes, sum(u.no) as no, sum(u.reports) as reports
from usage_hourly as u
group by hour, environment, feature_name, app_name
comment 'Evaluations per hour, environment, feature and application; 90 days';

create view if not exists usage_by_day {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it'
)
as select day, environment, feature_name, app_name, sum(u.yes) as yes, sum(u.no) as no, sum(u.reports) as reports
from usage_daily as u
group by day, environment, feature_name, app_name
comment 'Evaluations per day, environment, feature and application; 25 months';

create view if not exists variants_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    count UInt64 comment 'Evaluations that were served the variant'
)
as select hour, environment, feature_name, app_name, variant, sum(v.count) as count
from variants_hourly as v
group by hour, environment, feature_name, app_name, variant
comment 'Evaluations per hour and variant; 90 days';

create view if not exists variants_by_day {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    count UInt64 comment 'Evaluations that were served the variant'
)
as select day, environment, feature_name, app_name, variant, sum(v.count) as count
from variants_daily as v
group by day, environment, feature_name, app_name, variant
comment 'Evaluations per day and variant; 25 months';

create view if not exists refusals {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric or application',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that it named, made displayable',
    app_name String comment 'Application that it named, made displayable',
    feature_name String comment 'Feature that it named, made displayable',
    count UInt64 comment 'How many were refused'
)
as select day, kind, reason, token_id, environment, app_name, feature_name, sum(r.count) as count
from refusals_daily as r
group by day, kind, reason, token_id, environment, app_name, feature_name
comment 'What was received and not counted, with the reason; 30 days';
