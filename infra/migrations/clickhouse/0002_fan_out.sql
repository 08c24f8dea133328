-- From block_rows to the tables.

create materialized view if not exists usage_hourly_view {on_cluster} to usage_hourly as
select feature_name, environment, app_name, hour, yes, no, reports
from block_rows
where kind = 'count';

create materialized view if not exists usage_daily_view {on_cluster} to usage_daily as
select
    feature_name,
    environment,
    app_name,
    toDate(hour) as day,
    sum(block_rows.yes) as yes,
    sum(block_rows.no) as no,
    sum(block_rows.reports) as reports
from block_rows
where kind = 'count'
group by feature_name, environment, app_name, day;

create materialized view if not exists variants_hourly_view {on_cluster} to variants_hourly as
select feature_name, environment, app_name, variant, hour, count
from block_rows
array join variants as variant, variant_counts as count
where kind = 'count';

create materialized view if not exists variants_daily_view {on_cluster} to variants_daily as
select feature_name, environment, app_name, variant, toDate(hour) as day, sum(variant_count) as count
from block_rows
array join variants as variant, variant_counts as variant_count
where kind = 'count'
group by feature_name, environment, app_name, variant, day;

create materialized view if not exists feature_seen_view {on_cluster} to feature_seen_states as
select feature_name, environment, min(hour) as first_hour, max(hour) as last_hour
from block_rows
where kind = 'count'
group by feature_name, environment;

create materialized view if not exists app_seen_view {on_cluster} to app_seen_states as
select app_name, environment, min(hour) as first_hour, max(hour) as last_hour
from block_rows
where kind = 'count'
group by app_name, environment;

create materialized view if not exists refusals_daily_view {on_cluster} to refusals_daily as
select
    toDate(hour) as day,
    refused_kind as kind,
    reason,
    token_id,
    environment,
    app_name,
    feature_name,
    reports as count
from block_rows
where block_rows.kind = 'refusal';

create materialized view if not exists blocks_view {on_cluster} to blocks as
select
    topic,
    epoch,
    partition,
    from_offset,
    to_offset,
    received_from,
    received_to,
    received,
    counted,
    refused,
    duplicate,
    dead,
    refused_reasons,
    refused_counts,
    days,
    day_yes,
    day_no,
    day_variants,
    duplicate_batches,
    batch_ids,
    batch_times
from block_rows
where kind = 'block';
