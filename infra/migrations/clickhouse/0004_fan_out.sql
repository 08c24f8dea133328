-- Copies rows from block_rows to the tables. Leaves out rows for targets (table and month) that already hold their
-- block.
-- The daily sums are not grouped by day. A block holds each key once an hour, which is nearly always once a day, and
-- the tables add up the rest. Grouping by texts took a tenth of the CPU of an INSERT with many keys.

create materialized view if not exists usage_hourly_view {on_cluster} to usage_hourly as
select feature_name, environment, app_name, hour, yes, no, reports
from block_rows
where kind in ('count', 'usage_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('usage_hourly ', toString(toYYYYMM(hour)))));

create materialized view if not exists usage_daily_view {on_cluster} to usage_daily as
select feature_name, environment, app_name, toDate(hour) as day, yes, no, reports
from block_rows
where kind in ('count', 'usage_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('usage_daily ', toString(toYYYYMM(hour)))));

create materialized view if not exists variants_hourly_view {on_cluster} to variants_hourly as
select feature_name, environment, app_name, variant, hour, count
from block_rows
array join variants as variant, variant_counts as count
where kind in ('count', 'variants_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('variants_hourly ', toString(toYYYYMM(hour)))));

create materialized view if not exists variants_daily_view {on_cluster} to variants_daily as
select feature_name, environment, app_name, variant, toDate(hour) as day, count
from block_rows
array join variants as variant, variant_counts as count
where kind in ('count', 'variants_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('variants_daily ', toString(toYYYYMM(hour)))));

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
    reports as count,
    sample
from block_rows
where block_rows.kind in ('refusal', 'refusals_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('refusals_daily ', toString(toYYYYMM(hour)))));

create materialized view if not exists blocks_view {on_cluster} to blocks as
select
    topic,
    epoch,
    partition,
    from_offset,
    to_offset,
    received_from,
    received_to,
    appended_to,
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
    day_reports,
    day_variants,
    refusal_days,
    day_refusals,
    samples_received,
    samples_counted,
    samples_refused,
    samples_duplicate,
    impact_days,
    day_samples,
    day_totals,
    day_observations,
    reason_days,
    day_evaluations,
    duplicate_batches,
    batch_ids,
    batch_times,
    marks
from block_rows
where kind = 'block'
  and not has(stored_shares, 'blocks');

create materialized view if not exists feature_app_seen_view {on_cluster} to feature_app_seen_states as
select
    feature_name,
    environment,
    app_name,
    hour as first_hour,
    hour as last_hour,
    if(arraySum(variant_counts) > yes + no, hour, toDateTime(0, 'UTC')) as excess_hour
from block_rows
where kind = 'count';
