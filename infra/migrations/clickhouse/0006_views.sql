-- The views for analysts. The base tables may change. Users need no grants on them, because each view reads with the
-- rights of its definer. Times are UTC and ranges half-open. An hour or a day is complete five minutes after its end,
-- because relays send once a minute. Markers have neither a feature nor an environment.

{include usage/usage_by.sql period=hour step=hourly}
{include usage/usage_by.sql period=day step=daily}

{include usage/variants_by.sql period=hour step=hourly}
{include usage/variants_by.sql period=day step=daily}

-- The last two days by the minute of receipt. A relay sends what it added up for a minute, with one hour for all of it: so nobody knows in
-- which minute an evaluation happened, but only when its report arrived. What waits in Kafka is missing, also of complete minutes.
create view if not exists usage_by_minute {on_cluster}
(
{include periods/minute_column.sql of=evaluations}
{include usage/feature_and_app_columns.sql}
{include usage/usage_columns.sql}
    is_complete Bool comment 'Whether the minute ended at least ten seconds ago'
)
definer = current_user sql security definer
as select
    minute,
    environment,
    feature_name,
    app_name,
{include usage/usage_of.sql period=minute step=minutely}
where feature_name != ''
group by minute, environment, feature_name, app_name
comment 'Evaluations per environment, feature and application, by the minute in which their report arrived; of the last 48 hours';

create view if not exists variants_by_minute {on_cluster}
(
{include periods/minute_column.sql of=evaluations}
{include usage/feature_and_app_columns.sql}
{include usage/variant_columns.sql}
    is_complete Bool comment 'Whether the minute ended at least ten seconds ago'
)
definer = current_user sql security definer
as select
    minute,
    environment,
    feature_name,
    app_name,
    variant_of_map as variant,
    sum(count_of_map) as count,
{include periods/minute_is_complete.sql}
from usage_minutely
array join variantsMap.variant as variant_of_map, variantsMap.count as count_of_map
where feature_name != ''
group by minute, environment, feature_name, app_name, variant
comment 'Evaluations per environment, feature, application and variant, by the minute in which their report arrived; of the last 48 hours';

-- Sums over all applications. They are read from projections.
{include usage/totals_by.sql period=hour step=hourly}
{include usage/totals_by.sql period=day step=daily}

-- Sums over all features. They are read from projections, which have no features, so the environment excludes
-- markers.
{include usage/app_totals_by.sql period=hour step=hourly}
{include usage/app_totals_by.sql period=day step=daily}

-- First and last time of each feature and application.
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
from feature_app_seen_states as s
group by feature_name, environment
comment 'When each feature was evaluated first and last in each environment; kept for ever';

create view if not exists app_seen {on_cluster}
(
    app_name LowCardinality(String) comment 'Application that evaluated it',
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
from feature_app_seen_states as s
group by app_name, environment
comment 'When each application evaluated first and last in each environment; kept for ever';

-- An SDK says with each post which time it counted. Time of an instance between two posts that no post covers has no counts: nothing was
-- evaluated, if it says nothing then, or a post was lost. Its clock only has to be steady. Less than two seconds are the time that a post takes.
create view if not exists coverage_by_app {on_cluster}
(
    app_name LowCardinality(String) comment 'Application of the instances',
    environment LowCardinality(String) comment 'Environment of the instances',
    instances UInt64 comment 'Instances of SDKs that posted directly in the last 24 hours',
    covered_seconds Float64 comment 'Time of the instances whose counts arrived',
    missing_seconds Float64 comment 'Time between their posts without counts',
    coverage Float64 comment 'Share of their time whose counts arrived, from 0 to 1'
)
definer = current_user sql security definer
as select
    app_name,
    environment,
    uniqExact(instance) as instances,
    sum(covered_ms) / 1000 as covered_seconds,
    sum(missing_ms) / 1000 as missing_seconds,
    covered_seconds / (covered_seconds + missing_seconds) as coverage
from
(
    select
        app_name,
        environment,
        instance,
        greatest(0, stop_ms - greatest(start_ms, earlier_stop_ms)) as covered_ms,
        if(earlier_stop_ms = 0 or start_ms - earlier_stop_ms < 2000, 0, start_ms - earlier_stop_ms) as missing_ms
    from
    (
        select
            s.app_name as app_name,
            s.environment as environment,
            s.instance as instance,
            toUnixTimestamp64Milli(s.start) as start_ms,
            toUnixTimestamp64Milli(s.stop) as stop_ms,
            max(stop_ms) over (
                partition by app_name, environment, instance
                order by start_ms, stop_ms
                rows between unbounded preceding and 1 preceding
            ) as earlier_stop_ms
        from blocks
        array join spans as s
        where stored_at >= now64(3) - interval 24 hour
          and abs(dateDiff('second', s.stop, received_to)) < 86400
    )
)
group by app_name, environment
having covered_seconds > 0
comment 'How much of the time of SDKs that post directly has counts, in the last 24 hours';

-- Usage of one feature or one application. The parameters use the index of the table.
create view if not exists feature_usage {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated it',
{include usage/usage_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    hour,
    app_name,
{include usage/usage_of.sql period=hour step=hourly}
where feature_name = {feature:String}
  and environment = {environment:String}
group by hour, app_name
comment 'Evaluations of one feature in one environment: feature_usage(feature = ''...'', environment = ''...'')';

create view if not exists feature_variants {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated it',
{include usage/variant_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    hour,
    app_name,
    variant,
{include usage/variants_of.sql period=hour step=hourly}
where feature_name = {feature:String}
  and environment = {environment:String}
group by hour, app_name, variant
comment 'Variants of one feature in one environment: feature_variants(feature = ''...'', environment = ''...'')';

create view if not exists app_usage {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that the application evaluated',
{include usage/usage_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    day,
    feature_name,
{include usage/usage_of.sql period=day step=daily}
where app_name = {app:String}
  and environment = {environment:String}
group by day, feature_name
comment 'Evaluations of one application in one environment: app_usage(app = ''...'', environment = ''...'')';
