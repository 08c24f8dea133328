-- Why flags had their values, what failed, and which system evaluated them, for evaluations that OpenTelemetry sends. Their counts are in the
-- tables of counts too, whose keys stay small without reasons.

-- Markers as in the tables of counts: a marker has no feature, and its application is the Kafka partition. With the
-- reason '' it adds up messages, with 'sum' the evaluations of its hour.
create table if not exists reasons_hourly {on_cluster}
(
{include reasons/reason_key_columns.sql}
    hour DateTime('UTC') comment 'Start of the hour of the evaluation' codec(Delta, ZSTD(1)),
    evaluations UInt64 comment 'Evaluations with this reason' codec(T64, ZSTD(1))
)
engine = {engine}SummingMergeTree((evaluations))
partition by toYYYYMM(hour)
order by (feature_name, environment, app_name, provider, reason, error_type, hour)
ttl hour + interval 90 day
{include deduplicated.sql}
comment 'Sums per hour, kept 90 days. Read reasons_by_hour instead';

create table if not exists reasons_daily {on_cluster}
(
{include reasons/reason_key_columns.sql}
    day Date comment 'Day (UTC) of the evaluation' codec(Delta, ZSTD(1)),
    evaluations UInt64 comment 'Evaluations with this reason' codec(T64, ZSTD(1))
)
engine = {engine}SummingMergeTree((evaluations))
partition by toYYYYMM(day)
order by (feature_name, environment, app_name, provider, reason, error_type, day)
ttl day + interval 25 month
{include deduplicated.sql}
comment 'Sums per day, kept 25 months. Read reasons_by_day instead';

-- The worker registers features by it. Repeated rows change nothing, so this table has no markers.
create table if not exists feature_senders {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature of another flag system',
    token_id LowCardinality(String) comment 'API token that sent evaluations of it, with a reason that is no error',
    day Date comment 'Day (UTC) of the evaluations'
)
engine = {engine}ReplacingMergeTree
order by (day, token_id, feature_name)
ttl day + interval 35 day
{include deduplicated.sql}
comment 'Tokens that sent evaluations of features of other flag systems, kept 35 days';

create materialized view if not exists feature_senders_view {on_cluster} to feature_senders as
select feature_name, app_name as token_id, toDate(hour) as day
from mixed_block_rows
where kind = 'sender';

create materialized view if not exists reasons_hourly_view {on_cluster} to reasons_hourly as
select
    feature_name,
    environment,
    app_name,
    r.provider as provider,
    r.reason as reason,
    r.error_type as error_type,
    hour,
    reports as evaluations
from mixed_block_rows
array join mixed_block_rows.reason as r
where kind in ('reason', 'reason_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('reasons_hourly ', toString(toYYYYMM(hour)))));

create materialized view if not exists reasons_daily_view {on_cluster} to reasons_daily as
select
    feature_name,
    environment,
    app_name,
    r.provider as provider,
    r.reason as reason,
    r.error_type as error_type,
    toDate(hour) as day,
    reports as evaluations
from mixed_block_rows
array join mixed_block_rows.reason as r
where kind in ('reason', 'reason_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('reasons_daily ', toString(toYYYYMM(hour)))));

{include reasons/reasons_by.sql period=hour step=hourly}
{include reasons/reasons_by.sql period=day step=daily}
