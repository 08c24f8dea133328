-- Why flags had their values, and what failed, for evaluations that OpenTelemetry sends. Their counts are in the tables of
-- counts too, whose keys stay small without reasons.

-- Markers as in the tables of counts: a marker has no feature, and its application is the Kafka partition. With the
-- reason '' it adds up messages, with 'sum' the evaluations of its hour.
create table if not exists reasons_hourly {on_cluster}
(
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    environment LowCardinality(String) comment 'Environment of the evaluation',
    app_name LowCardinality(String) comment 'Application that evaluated it',
    reason LowCardinality(String) comment 'Why the flag had its value',
    error_type LowCardinality(String) comment 'What failed; empty if nothing did, or if the sender does not say',
    hour DateTime('UTC') comment 'Start of the hour of the evaluation',
    evaluations UInt64 comment 'Evaluations with this reason'
)
engine = {engine}SummingMergeTree((evaluations))
partition by toYYYYMM(hour)
order by (feature_name, environment, app_name, reason, error_type, hour)
ttl hour + interval 90 day
{include deduplicated.sql}
comment 'Sums per hour, kept 90 days. Read reasons_by_hour instead';

create materialized view if not exists reasons_hourly_view {on_cluster} to reasons_hourly as
select feature_name, environment, app_name, reason, error_type, hour, reports as evaluations
from block_rows
where kind in ('reason', 'reason_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('reasons_hourly ', toString(toYYYYMM(hour)))));

create view if not exists reasons_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
{include usage/feature_and_app_columns.sql}
    reason LowCardinality(String) comment 'static, default, targeting_match, split, cached, disabled, unknown, stale, error or other',
    error_type LowCardinality(String) comment 'What failed, as flag_not_found; empty if nothing did, or if the sender does not say',
    evaluations UInt64 comment 'Evaluations with this reason',
    is_complete Bool comment 'Whether the hour has ended'
)
definer = current_user sql security definer
as select
    hour,
    environment,
    feature_name,
    app_name,
    reason,
    error_type,
    sum(r.evaluations) as evaluations,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from reasons_hourly as r
where feature_name != ''
group by hour, environment, feature_name, app_name, reason, error_type
comment 'Why flags had their values, per hour; only of evaluations that OpenTelemetry sent';
