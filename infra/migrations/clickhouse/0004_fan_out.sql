-- Copies rows to the tables. Leaves out rows for targets (table and month or day) that already hold their block.
-- The sums are not grouped. A block nearly always holds each key once, and the tables add up the rest. Grouping by texts took a tenth of the CPU of an INSERT with many keys.

create materialized view if not exists usage_hourly_view {on_cluster} to usage_hourly as
select feature_name, environment, app_name, hour, yes, no, unknown, reports
from block_rows
where kind in ('count', 'usage_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('usage_hourly ', toString(toYYYYMM(hour)))));

create materialized view if not exists usage_daily_view {on_cluster} to usage_daily as
select feature_name, environment, app_name, toDate(hour) as day, yes, no, unknown, reports
from block_rows
where kind in ('count', 'usage_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('usage_daily ', toString(toYYYYMM(hour)))));

create materialized view if not exists variants_hourly_view {on_cluster} to variants_hourly as
select feature_name, environment, app_name, variant, hour, count
from block_rows
array join variants as variant, variant_counts as count
where kind in ('count', 'variants_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('variants_hourly ', toString(toYYYYMM(hour)))));

create materialized view if not exists variants_daily_view {on_cluster} to variants_daily as
select feature_name, environment, app_name, variant, toDate(hour) as day, count
from block_rows
array join variants as variant, variant_counts as count
where kind in ('count', 'variants_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('variants_daily ', toString(toYYYYMM(hour)))));

{include usage/usage_minutely_view.sql compared_from=1970-01-01}

create materialized view if not exists refusals_daily_view {on_cluster} to refusals_daily as
select
    toDate(hour) as day,
    r.kind as kind,
    r.reason as reason,
    r.token_id as token_id,
    environment,
    app_name,
    feature_name,
    reports as count,
    r.sample as sample
from mixed_block_rows
array join refusal as r
where mixed_block_rows.kind in ('refusal', 'refusals_mark')
  and (empty(stored_targets) or not has(stored_targets, concat('refusals_daily ', toString(toYYYYMM(hour)))));

create materialized view if not exists blocks_view {on_cluster} to blocks as
select
    b.topic as topic,
    b.epoch as epoch,
    b.partition as partition,
    b.from_offset as from_offset,
    b.to_offset as to_offset,
    b.received_from as received_from,
    b.received_to as received_to,
    b.appended_to as appended_to,
    b.received as received,
    b.counted as counted,
    b.refused as refused,
    b.duplicate as duplicate,
    b.dead as dead,
    b.refused_reasons as refused_reasons,
    b.refused_counts as refused_counts,
    b.days as days,
    b.day_yes as day_yes,
    b.day_no as day_no,
    b.day_unknown as day_unknown,
    b.day_reports as day_reports,
    b.day_variants as day_variants,
    b.refusal_days as refusal_days,
    b.day_refusals as day_refusals,
    b.samples_received as samples_received,
    b.samples_counted as samples_counted,
    b.samples_refused as samples_refused,
    b.samples_duplicate as samples_duplicate,
    b.impact_days as impact_days,
    b.day_samples as day_samples,
    b.day_totals as day_totals,
    b.day_observations as day_observations,
    b.reason_days as reason_days,
    b.day_evaluations as day_evaluations,
    b.minute_days as minute_days,
    b.spans as spans,
    b.duplicate_batches as duplicate_batches,
    b.batch_ids as batch_ids,
    b.batch_times as batch_times,
    b.markers as markers
from block_rows
array join block as b
where kind = 'block'
  and not has(stored_targets, 'blocks');

create materialized view if not exists feature_app_seen_view {on_cluster} to feature_app_seen_states as
select
    feature_name,
    environment,
    app_name,
    hour as first_hour,
    hour as last_hour,
    if(arraySum(variant_counts) > yes + no + unknown, hour, toDateTime(0, 'UTC')) as excess_hour
from block_rows
where kind = 'count';
