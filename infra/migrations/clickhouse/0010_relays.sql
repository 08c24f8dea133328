-- The reports of relays about themselves. They are not counts: a report that is stored twice has the same key and content, and
-- readers take it once. A job of the worker adds up the days; it may do so any number of times. All reports are in one shard.

create table if not exists relay_reports {on_cluster}
(
    received_at DateTime64(3, 'UTC') comment 'When Kafka stored the report',
    token_id LowCardinality(String) comment 'Token with which it reports',
{include relays/relay_columns.sql}
    hosting LowCardinality(String) comment 'Who runs it, for example self-hosted; empty if not reported',
    started_at Nullable(DateTime('UTC')) comment 'When it started; null if not reported',
    seconds Float64 comment 'Time that the report covers',
    requests UInt64 comment 'Requests that it answered with 2xx or 304',
    refused Nullable(UInt64) comment 'Requests that it answered with 403; null if not reported',
    features_latency_ms Nullable(Float64) comment 'Average time of its requests for features since it started',
    features_p99_ms Nullable(Float64) comment 'The 99th percentile of these times',
    metrics_latency_ms Nullable(Float64) comment 'Average time of its requests that send metrics since it started',
    metrics_p99_ms Nullable(Float64) comment 'The 99th percentile of these times',
    streaming_clients Nullable(UInt32) comment 'Connected streaming clients; null if not reported',
    memory_bytes Nullable(UInt64) comment 'Resident memory; null if not reported',
    cpu_seconds Nullable(Float64) comment 'Processor time used; null if not reported',
    nested_relays UInt32 comment 'Relays that report to it, directly or through others',
    revisions Map(String, UInt64) comment 'Revision of the configuration that it holds, by environment and projects',
    stored_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written'
)
engine = {engine}ReplacingMergeTree
partition by toYYYYMM(received_at)
order by (received_at, token_id, app_name, relay_id)
ttl toDateTime(received_at) + interval 90 day
settings default_compression_codec = 'ZSTD(1)'
comment 'Reports of relays, kept for 90 days. Read relays_by_minute instead';

create table if not exists relays_daily {on_cluster}
(
    day Date comment 'Day (UTC) of the reports',
    token_id LowCardinality(String) comment 'Token with which it reports',
{include relays/relay_columns.sql}
{include relays/relay_measure_columns.sql}
    hosting LowCardinality(String) comment 'Who runs it, for example self-hosted; empty if not reported',
    started_at Nullable(DateTime('UTC')) comment 'When it started; null if not reported',
    first_report_at DateTime64(3, 'UTC') comment 'Its first report of the day',
    last_report_at DateTime64(3, 'UTC') comment 'Its last report of the day',
    revisions Map(String, UInt64) comment 'Revision of the configuration that it held last, by environment and projects',
    computed_at DateTime64(3, 'UTC') default now64(3) comment 'When this row was written'
)
engine = {engine}ReplacingMergeTree(computed_at)
partition by toYYYYMM(day)
order by (day, token_id, app_name, relay_id)
ttl day + interval 25 month
settings default_compression_codec = 'ZSTD(1)'
comment 'Reports of relays by day, kept for 25 months. Read relays_by_day instead';

create view if not exists relays_by_minute {on_cluster}
(
    minute DateTime('UTC') comment 'Start of the minute in which the reports arrived; each covers the time before',
{include relays/relay_columns.sql}
{include relays/relay_measure_columns.sql}
    requests_per_second Float64 comment 'Requests divided by the covered time'
)
definer = current_user sql security definer
as select
    toStartOfMinute(r.received_at) as minute,
    environment,
    app_name,
    relay_id,
    parent_id,
    argMax(r.version, r.received_at) as version,
    argMax(r.region, r.received_at) as region,
{include relays/relay_measures.sql}
    if(seconds > 0, requests / seconds, 0) as requests_per_second
from (
{include relays/relay_reports_once.sql}
) as r
group by minute, token_id, environment, app_name, relay_id, parent_id
comment 'What each relay reported about itself, per minute';

create view if not exists relays_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour in which the reports arrived',
{include relays/relay_columns.sql}
{include relays/relay_measure_columns.sql}
    requests_per_second Float64 comment 'Requests divided by the covered time',
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    toStartOfHour(r.received_at) as hour,
    environment,
    app_name,
    relay_id,
    parent_id,
    argMax(r.version, r.received_at) as version,
    argMax(r.region, r.received_at) as region,
{include relays/relay_measures.sql}
    if(seconds > 0, requests / seconds, 0) as requests_per_second,
    (hour + interval 65 minute <= now('UTC'))::Bool as is_complete
from (
{include relays/relay_reports_once.sql}
) as r
group by hour, token_id, environment, app_name, relay_id, parent_id
comment 'What each relay reported about itself, per hour';

create view if not exists relays_by_day {on_cluster}
(
    day Date comment 'Day (UTC) on which the reports arrived',
{include relays/relay_columns.sql}
{include relays/relay_measure_columns.sql}
    requests_per_second Float64 comment 'Requests divided by the covered time',
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    day,
    argMax(d.environment, d.computed_at) as environment,
    app_name,
    relay_id,
    argMax(d.parent_id, d.computed_at) as parent_id,
    argMax(d.version, d.computed_at) as version,
    argMax(d.region, d.computed_at) as region,
    argMax(d.reports, d.computed_at) as reports,
    argMax(d.seconds, d.computed_at) as seconds,
    argMax(d.requests, d.computed_at) as requests,
    tupleElement(argMax(tuple(d.refused), d.computed_at), 1) as refused,
    tupleElement(argMax(tuple(d.features_latency_ms), d.computed_at), 1) as features_latency_ms,
    tupleElement(argMax(tuple(d.features_p99_ms), d.computed_at), 1) as features_p99_ms,
    tupleElement(argMax(tuple(d.metrics_latency_ms), d.computed_at), 1) as metrics_latency_ms,
    tupleElement(argMax(tuple(d.metrics_p99_ms), d.computed_at), 1) as metrics_p99_ms,
    tupleElement(argMax(tuple(d.streaming_clients), d.computed_at), 1) as streaming_clients,
    tupleElement(argMax(tuple(d.memory_bytes), d.computed_at), 1) as memory_bytes,
    tupleElement(argMax(tuple(d.cpu_seconds), d.computed_at), 1) as cpu_seconds,
    argMax(d.nested_relays, d.computed_at) as nested_relays,
    if(seconds > 0, requests / seconds, 0) as requests_per_second,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from relays_daily as d
group by day, token_id, app_name, relay_id
comment 'What each relay reported about itself, per day; the current day is up to two minutes behind';

create view if not exists relays {on_cluster}
(
{include relays/relay_columns.sql}
    hosting LowCardinality(String) comment 'Who runs it, for example self-hosted; empty if not reported',
    started_at Nullable(DateTime('UTC')) comment 'When it started; null if not reported',
    last_report_at DateTime64(3, 'UTC') comment 'When its last report arrived',
    nested_relays UInt32 comment 'Largest number of relays that reported to it on its last day, directly or through others',
    revisions Map(String, UInt64) comment 'Revision of the configuration that it holds, by environment and projects, for example production: *'
)
definer = current_user sql security definer
as select
    argMax(d.environment, (d.day, d.computed_at)) as environment,
    app_name,
    relay_id,
    argMax(d.parent_id, (d.day, d.computed_at)) as parent_id,
    argMax(d.version, (d.day, d.computed_at)) as version,
    argMax(d.region, (d.day, d.computed_at)) as region,
    argMax(d.hosting, (d.day, d.computed_at)) as hosting,
    tupleElement(argMax(tuple(d.started_at), (d.day, d.computed_at)), 1) as started_at,
    max(d.last_report_at) as last_report_at,
    argMax(d.nested_relays, (d.day, d.computed_at)) as nested_relays,
    argMax(d.revisions, (d.day, d.computed_at)) as revisions
from relays_daily as d
where day >= toDate(now('UTC')) - 30
group by token_id, app_name, relay_id
comment 'Relays that reported in the last 30 days; up to two minutes behind';
