-- Marks: which parts of a block are stored. ClickHouse writes the entry of its deduplication log and the part one after the other:
-- a server that is killed between them comes back with one of them only, and then ignores a repeated INSERT where it is needed, or
-- takes it twice. So each part that a block adds to a table holds a mark with its rows: a row of no feature, whose application
-- is the Kafka partition, and which adds up offsets. `blocks` says which marks there must be. Views do not show them.

alter table block_rows {on_cluster}
    modify column kind Enum8('count' = 1, 'refusal' = 2, 'block' = 3, 'usage_mark' = 4, 'variants_mark' = 5, 'refusals_mark' = 6)
    comment 'Which of the groups of columns is filled';

alter table block_rows {on_cluster}
    add column if not exists marks Array(String) comment 'Marks that the block leaves: table and day',
    add column if not exists stored_shares Array(String) comment 'Tables and months that hold the block already, as usage_daily 202611: the row shall not go there';

alter table blocks {on_cluster}
    add column if not exists marks Array(LowCardinality(String)) comment 'Marks that the block left, as usage_daily 2026-11-21; none if it was stored before there were marks';

alter table usage_hourly_view {on_cluster} modify query
select feature_name, environment, app_name, hour, yes, no, reports
from block_rows
where kind in ('count', 'usage_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('usage_hourly ', toString(toYYYYMM(hour)))));

alter table usage_daily_view {on_cluster} modify query
select feature_name, environment, app_name, toDate(hour) as day, yes, no, reports
from block_rows
where kind in ('count', 'usage_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('usage_daily ', toString(toYYYYMM(hour)))));

alter table variants_hourly_view {on_cluster} modify query
select feature_name, environment, app_name, variant, hour, count
from block_rows
array join variants as variant, variant_counts as count
where kind in ('count', 'variants_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('variants_hourly ', toString(toYYYYMM(hour)))));

alter table variants_daily_view {on_cluster} modify query
select feature_name, environment, app_name, variant, toDate(hour) as day, count
from block_rows
array join variants as variant, variant_counts as count
where kind in ('count', 'variants_mark')
  and (empty(stored_shares) or not has(stored_shares, concat('variants_daily ', toString(toYYYYMM(hour)))));

alter table refusals_daily_view {on_cluster} modify query
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

alter table blocks_view {on_cluster} modify query
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
    batch_times,
    marks
from block_rows
where kind = 'block'
  and not has(stored_shares, 'blocks');

-- The views of before, without marks.

create or replace view usage_by_hour {on_cluster}
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
where feature_name != ''
group by hour, environment, feature_name, app_name
comment 'Evaluations per hour, environment, feature and application';

create or replace view usage_by_day {on_cluster}
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
where feature_name != ''
group by day, environment, feature_name, app_name
comment 'Evaluations per day, environment, feature and application';

create or replace view variants_by_hour {on_cluster}
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
where feature_name != ''
group by hour, environment, feature_name, app_name, variant
comment 'Evaluations per hour, environment, feature, application and variant';

create or replace view variants_by_day {on_cluster}
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
where feature_name != ''
group by day, environment, feature_name, app_name, variant
comment 'Evaluations per day, environment, feature, application and variant';

create or replace view totals_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
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
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_hourly as u
where feature_name != ''
group by hour, environment, feature_name
comment 'Evaluations per hour, environment and feature, of all applications together: several times as fast as usage_by_hour';

create or replace view totals_by_day {on_cluster}
(
    day Date comment 'Day (UTC) of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
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
    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.reports) as reports,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_daily as u
where feature_name != ''
group by day, environment, feature_name
comment 'Evaluations per day, environment and feature, of all applications together: several times as fast as usage_by_day';

create or replace view refusals {on_cluster}
(
    day Date comment 'Day (UTC) of the receipt',
    kind LowCardinality(String) comment 'metric or application',
    reason LowCardinality(String) comment 'Why it was refused',
    token_id LowCardinality(String) comment 'Token of the sender',
    environment String comment 'Environment that it named, made displayable',
    app_name String comment 'Application that it named, made displayable',
    feature_name String comment 'Feature that it named, made displayable; names are left out beyond 100 different refusals of a batch, and of a token in a block',
    count UInt64 comment 'How many were refused',
    sample String comment 'What one of them was refused for, made displayable and cut',
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
    max(r.sample) as sample,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from refusals_daily as r
where reason != ''
group by day, kind, reason, token_id, environment, app_name, feature_name
comment 'What was received and not counted, with the reason and a sample';
