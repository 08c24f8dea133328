-- Sums of evaluations, and the first and last time of each feature in each application.
-- Every filled table needs its own deduplication window. Without one, a repeated INSERT would count twice. A replicated
-- table also forgets tokens by time, after an hour by default. An outcome may be unknown for longer, so it is ten years.

-- T64 leaves out the upper bits that no count of a granule has, Delta stores times as steps, and ZSTD compresses the rest. With LZ4, the
-- default, the tables took four times as much disk, and INSERTs and merges a little more CPU.

-- AggregatingMergeTree adds up columns for half to two thirds of the CPU that SummingMergeTree takes to merge the same rows.

-- The projections are sums over all applications or all features. Queries that need no other detail read only a fifth
-- to a thousandth of the rows. Each part of a table contains the sums of its rows. So sums and rows always agree,
-- even after merges, repeats, replacements and deletions. Parts get their projections when they are merged, so an
-- INSERT does not pay for them. For younger parts a query adds up the rows themselves.

create table if not exists usage_hourly {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    hour DateTime('UTC') comment 'Start of the hour of the evaluation' codec(Delta, ZSTD(1)),
    yes SimpleAggregateFunction(sum, UInt64) comment 'Evaluations that were enabled' codec(T64, ZSTD(1)),
    no SimpleAggregateFunction(sum, UInt64) comment 'Evaluations that were disabled' codec(T64, ZSTD(1)),
    unknown SimpleAggregateFunction(sum, UInt64) comment 'Evaluations whose result the sender did not report' codec(T64, ZSTD(1)),
    reports SimpleAggregateFunction(sum, UInt64) comment 'Metrics that were added up' codec(T64, ZSTD(1)),

    projection of_all_apps
    (
        select hour, environment, feature_name, sum(yes), sum(no), sum(unknown), sum(reports)
        group by hour, environment, feature_name
    ),

    projection of_all_features
    (
        select hour, environment, app_name, sum(yes), sum(no), sum(unknown), sum(reports)
        group by hour, environment, app_name
    )
)
engine = {engine}AggregatingMergeTree
partition by toYYYYMM(hour)
order by (feature_name, environment, app_name, hour)
ttl hour + interval 90 day
{include deduplicated_with_projections.sql}
comment 'Sums per hour, kept 90 days. Read usage_by_hour instead';

create table if not exists usage_daily {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    day Date comment 'Day (UTC) of the evaluation' codec(Delta, ZSTD(1)),
    yes SimpleAggregateFunction(sum, UInt64) comment 'Evaluations that were enabled' codec(T64, ZSTD(1)),
    no SimpleAggregateFunction(sum, UInt64) comment 'Evaluations that were disabled' codec(T64, ZSTD(1)),
    unknown SimpleAggregateFunction(sum, UInt64) comment 'Evaluations whose result the sender did not report' codec(T64, ZSTD(1)),
    reports SimpleAggregateFunction(sum, UInt64) comment 'Metrics that were added up' codec(T64, ZSTD(1)),

    projection of_all_apps
    (
        select day, environment, feature_name, sum(yes), sum(no), sum(unknown), sum(reports)
        group by day, environment, feature_name
    ),

    projection of_all_features
    (
        select day, environment, app_name, sum(yes), sum(no), sum(unknown), sum(reports)
        group by day, environment, app_name
    )
)
engine = {engine}AggregatingMergeTree
partition by toYYYYMM(day)
order by (feature_name, environment, app_name, day)
ttl day + interval 25 month
{include deduplicated_with_projections.sql}
comment 'Sums per day, kept 25 months. Read usage_by_day instead';

create table if not exists variants_hourly {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    hour DateTime('UTC') comment 'Start of the hour of the evaluation' codec(Delta, ZSTD(1)),
    count SimpleAggregateFunction(sum, UInt64) comment 'Evaluations that were served the variant' codec(T64, ZSTD(1)),

    projection of_all_apps
    (
        select hour, environment, feature_name, variant, sum(count)
        group by hour, environment, feature_name, variant
    )
)
engine = {engine}AggregatingMergeTree
partition by toYYYYMM(hour)
order by (feature_name, environment, app_name, variant, hour)
ttl hour + interval 90 day
{include deduplicated_with_projections.sql}
comment 'Variant sums per hour, kept 90 days. Read variants_by_hour instead';

create table if not exists variants_daily {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    variant LowCardinality(String) comment 'Variant that was served',
    day Date comment 'Day (UTC) of the evaluation' codec(Delta, ZSTD(1)),
    count SimpleAggregateFunction(sum, UInt64) comment 'Evaluations that were served the variant' codec(T64, ZSTD(1)),

    projection of_all_apps
    (
        select day, environment, feature_name, variant, sum(count)
        group by day, environment, feature_name, variant
    )
)
engine = {engine}AggregatingMergeTree
partition by toYYYYMM(day)
order by (feature_name, environment, app_name, variant, day)
ttl day + interval 25 month
{include deduplicated_with_projections.sql}
comment 'Variant sums per day, kept 25 months. Read variants_by_day instead';

-- One table for evaluations and variants, because each table costs an INSERT another part. Its partitions are days, so that old minutes are
-- dropped and nothing is rewritten. All minutes of a day are dropped at once. By hours first, so that the last hour is read without the
-- rest of the day.
create table if not exists usage_minutely {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    minute DateTime('UTC') comment 'Start of the minute in which the evaluations arrived' codec(Delta, ZSTD(1)),
    yes UInt64 comment 'Evaluations that were enabled' codec(T64, ZSTD(1)),
    no UInt64 comment 'Evaluations that were disabled' codec(T64, ZSTD(1)),
    unknown UInt64 comment 'Evaluations whose result the sender did not report' codec(T64, ZSTD(1)),
    reports UInt64 comment 'Metrics that were added up; never 0, so that no row vanishes' codec(T64, ZSTD(1)),
    variantsMap Nested(
        variant LowCardinality(String),
        count UInt64
    ) comment 'Evaluations of each variant'
)
engine = {engine}SummingMergeTree((yes, no, unknown, reports, variantsMap))
partition by toYYYYMMDD(minute)
order by (toStartOfHour(minute), feature_name, environment, app_name, minute)
ttl toStartOfDay(minute + interval 1 day) + interval 48 hour
{include deduplicated.sql}
comment 'Sums per minute of receipt, kept until their day is 48 hours old. Read usage_by_minute instead';

-- Stored with each block, because computing this from a month of days takes half a second, with 50 applications in
-- each of 2,000 features. It shows who evaluates a feature, and where variants exceed evaluations. Views add it up by
-- feature and by application: tables of their own would cost each INSERT two more parts.
create table if not exists feature_app_seen_states {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    first_hour SimpleAggregateFunction(min, DateTime('UTC')) comment 'Hour of its first evaluation',
    last_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Hour of its last evaluation',
    excess_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Last hour for which a block held more variants than evaluations; 1970 if none did'
)
engine = {engine}AggregatingMergeTree
order by (feature_name, environment, app_name)
{include deduplicated.sql}
comment 'When each application evaluated each feature first and last, kept for ever. Read feature_seen and app_seen instead';
