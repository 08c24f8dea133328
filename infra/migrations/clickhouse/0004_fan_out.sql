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

-- Neither array join nor an alias of block[1]: ClickHouse would take 12 ms of CPU longer to plan so many columns, for each INSERT.
create materialized view if not exists blocks_view {on_cluster} to blocks as
select
    block[1].topic as topic,
    block[1].epoch as epoch,
    block[1].partition as partition,
    block[1].from_offset as from_offset,
    block[1].to_offset as to_offset,
    block[1].received_from as received_from,
    block[1].received_to as received_to,
    block[1].appended_to as appended_to,
    block[1].received as received,
    block[1].counted as counted,
    block[1].refused as refused,
    block[1].duplicate as duplicate,
    block[1].dead as dead,
    block[1].refused_reasons as refused_reasons,
    block[1].refused_counts as refused_counts,
    block[1].days as days,
    block[1].day_yes as day_yes,
    block[1].day_no as day_no,
    block[1].day_unknown as day_unknown,
    block[1].day_reports as day_reports,
    block[1].day_variants as day_variants,
    block[1].refusal_days as refusal_days,
    block[1].day_refusals as day_refusals,
    block[1].samples_received as samples_received,
    block[1].samples_counted as samples_counted,
    block[1].samples_refused as samples_refused,
    block[1].samples_duplicate as samples_duplicate,
    block[1].impact_days as impact_days,
    block[1].day_samples as day_samples,
    block[1].day_totals as day_totals,
    block[1].day_observations as day_observations,
    block[1].reason_days as reason_days,
    block[1].day_evaluations as day_evaluations,
    block[1].minute_days as minute_days,
    block[1].spans as spans,
    block[1].duplicate_batches as duplicate_batches,
    block[1].batch_ids as batch_ids,
    block[1].batch_times as batch_times,
    block[1].markers as markers
from block_rows
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
