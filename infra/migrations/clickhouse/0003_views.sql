-- What people read. Base tables may change beneath these; nobody else needs a grant on them, because each view reads with
-- the rights of its definer. Times are UTC and ranges half-open. An hour or a day is complete five minutes after its end:
-- relays send once a minute.

create view if not exists usage_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it',
    is_complete Bool comment 'Whether the hour is over'
)
definer = current_user sql security definer
as select
    hour,
    environment,
    feature_name,
    app_name,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_hourly as u
group by hour, environment, feature_name, app_name
comment 'Evaluations per hour, environment, feature and application';

create view if not exists usage_by_day {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it',
    is_complete Bool comment 'Whether the day is over'
)
definer = current_user sql security definer
as select
    day,
    environment,
    feature_name,
    app_name,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_daily as u
group by day, environment, feature_name, app_name
comment 'Evaluations per day, environment, feature and application';

create view if not exists variants_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    count UInt64 comment 'Evaluations that were served the variant',
    is_complete Bool comment 'Whether the hour is over'
)
definer = current_user sql security definer
as select
    hour,
    environment,
    feature_name,
    app_name,
    variant,
    sum(v.count) as count,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from variants_hourly as v
group by hour, environment, feature_name, app_name, variant
comment 'Evaluations per hour, environment, feature, application and variant';

create view if not exists variants_by_day {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    count UInt64 comment 'Evaluations that were served the variant',
    is_complete Bool comment 'Whether the day is over'
)
definer = current_user sql security definer
as select
    day,
    environment,
    feature_name,
    app_name,
    variant,
    sum(v.count) as count,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from variants_daily as v
group by day, environment, feature_name, app_name, variant
comment 'Evaluations per day, environment, feature, application and variant';

create view if not exists feature_seen {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    first_hour DateTime('UTC') comment 'Hour of the first evaluation',
    last_hour DateTime('UTC') comment 'Hour of the latest evaluation'
)
definer = current_user sql security definer
as select
    feature_name,
    environment,
    min(s.first_hour)::DateTime('UTC') as first_hour,
    max(s.last_hour)::DateTime('UTC') as last_hour
from feature_seen_states as s
group by feature_name, environment
comment 'When each feature was evaluated first and last in each environment; kept for ever';

create view if not exists app_seen {on_cluster}
(
    app_name LowCardinality(String) comment 'Application that evaluated features',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    first_hour DateTime('UTC') comment 'Hour of its first evaluation',
    last_hour DateTime('UTC') comment 'Hour of its latest evaluation'
)
definer = current_user sql security definer
as select
    app_name,
    environment,
    min(s.first_hour)::DateTime('UTC') as first_hour,
    max(s.last_hour)::DateTime('UTC') as last_hour
from app_seen_states as s
group by app_name, environment
comment 'When each application evaluated first and last in each environment; kept for ever';

create view if not exists refusals {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric or application',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that it named, made displayable',
    app_name String comment 'Application that it named, made displayable',
    feature_name String comment 'Feature that it named, made displayable',
    count UInt64 comment 'How many were refused',
    is_complete Bool comment 'Whether the day is over'
)
definer = current_user sql security definer
as select
    day,
    kind,
    reason,
    token_id,
    environment,
    app_name,
    feature_name,
    sum(r.count) as count,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from refusals_daily as r
group by day, kind, reason, token_id, environment, app_name, feature_name
comment 'What was received and not counted, with the reason';

create view if not exists retention {on_cluster}
(
    table_name String comment 'Base table',
    read_as Array(String) comment 'Views that read it',
    oldest Nullable(Date) comment 'First day (UTC) of its oldest data; none while it is empty',
    newest Nullable(Date) comment 'Last day (UTC) of its newest data; none while it is empty',
    stored_rows UInt64 comment 'Rows on disk, before sums are merged',
    stored_bytes UInt64 comment 'Bytes on disk, compressed',
    kept String comment 'The rule by which rows are deleted; empty if they are kept for ever'
)
definer = current_user sql security definer
as select
    t.name as table_name,
    arrayFilter(view -> view != '', [
        transform(
            t.name,
            [
                'usage_hourly', 'usage_daily', 'variants_hourly', 'variants_daily',
                'feature_seen_states', 'app_seen_states', 'refusals_daily', 'blocks'
            ],
            [
                'usage_by_hour', 'usage_by_day', 'variants_by_hour', 'variants_by_day',
                'feature_seen', 'app_seen', 'refusals', 'accounting'
            ],
            ''
        )
    ]) as read_as,
    if(p.stored_rows > 0 and p.newest > toDate(0), p.oldest, null) as oldest,
    if(p.stored_rows > 0 and p.newest > toDate(0), p.newest, null) as newest,
    p.stored_rows as stored_rows,
    p.stored_bytes as stored_bytes,
    extract(t.engine_full, ' TTL (.*?)(?: SETTINGS |$)') as kept
from system.tables as t
left join (
    select
        table,
        min(if(min_time > toDateTime(0), toDate(min_time), min_date)) as oldest,
        max(if(max_time > toDateTime(0), toDate(max_time), max_date)) as newest,
        sum(rows) as stored_rows,
        sum(bytes_on_disk) as stored_bytes
    from system.parts
    where database = {database} and active
    group by table
) as p on p.table = t.name
where t.database = {database} and t.engine like '%MergeTree'
comment 'What is really stored of each table, read from its parts on disk';

-- The same for one feature or one application, with parameters that reach the index of the table.

create view if not exists feature_usage {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated the feature',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it',
    is_complete Bool comment 'Whether the hour is over'
)
definer = current_user sql security definer
as select
    hour,
    app_name,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_hourly as u
where feature_name = {feature:String}
  and environment = {environment:String}
group by hour, app_name
comment 'Evaluations of one feature in one environment: feature_usage(feature = ''...'', environment = ''...'')';

create view if not exists feature_variants {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated the feature',
    variant LowCardinality(String) comment 'Variant that was served',
    count UInt64 comment 'Evaluations that were served the variant',
    is_complete Bool comment 'Whether the hour is over'
)
definer = current_user sql security definer
as select
    hour,
    app_name,
    variant,
    sum(v.count) as count,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from variants_hourly as v
where feature_name = {feature:String}
  and environment = {environment:String}
group by hour, app_name, variant
comment 'Variants of one feature in one environment: feature_variants(feature = ''...'', environment = ''...'')';

create view if not exists app_usage {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that the application evaluated',
    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    reports UInt64 comment 'Metrics that relays sent for it',
    is_complete Bool comment 'Whether the day is over'
)
definer = current_user sql security definer
as select
    day,
    feature_name,
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_daily as u
where app_name = {app:String}
  and environment = {environment:String}
group by day, feature_name
comment 'Evaluations of one application in one environment: app_usage(app = ''...'', environment = ''...'')';
