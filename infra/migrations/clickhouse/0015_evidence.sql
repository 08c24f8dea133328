-- What trusted tokens sent, beside the counts: guards turn features off because of nothing else. Counts do not know their
-- tokens, and everybody has the frontend token of a page.

-- It has no markers, because nothing is proved by it. If ClickHouse stops within an INSERT, the evidence of one block may be missing for a
-- month, but never a part of it: samples without the evaluations beside them would look like harm. So its rows come only with the first
-- token of the block, and only if no table of counts has the block yet.
create table if not exists evidence_hourly {on_cluster}
(
    token_id LowCardinality(String) comment 'Trusted API token that sent it',
    feature_name LowCardinality(String) comment 'Feature that was evaluated, or that a label of a sample names',
    environment LowCardinality(String) comment 'Environment of the evaluations or samples',
    app_name LowCardinality(String) comment 'Application that sent them',
    metric_name LowCardinality(String) comment 'Impact metric; empty for evaluations',
    metric_type LowCardinality(String) comment 'counter or histogram; empty for evaluations',
    arm LowCardinality(String) comment 'Variant, or enabled, or disabled',
    hour DateTime('UTC') comment 'Start of the hour' codec(Delta, ZSTD(1)),
    exposures Int64 comment 'Evaluations that were served this arm; enabled has those without a variant',
    total Int128 comment 'Sum of the values of a counter, or of the observed values of a histogram, in billionths',
    observations UInt64 comment 'Observations of a histogram',
    bucketsMap Nested(bound LowCardinality(String), count UInt64, present UInt64)
        comment 'Observations above the bound before and up to this one; present is never 0, so that no bound vanishes'
)
engine = {engine}SummingMergeTree((exposures, total, observations, bucketsMap))
partition by toYYYYMM(hour)
order by (feature_name, environment, token_id, metric_name, metric_type, app_name, arm, hour)
ttl hour + interval 90 day
{include deduplicated.sql}
comment 'Evaluations and samples of trusted tokens per hour, kept 90 days';

create materialized view if not exists evidence_hourly_view {on_cluster} to evidence_hourly as
select
    e.token_id as token_id,
    feature_name,
    environment,
    app_name,
    e.metric_name as metric_name,
    e.metric_type as metric_type,
    e.arm as arm,
    hour,
    e.exposures as exposures,
    e.total as total,
    e.observations as observations,
    e.bucket_bounds as `bucketsMap.bound`,
    e.bucket_counts as `bucketsMap.count`,
    arrayWithConstant(length(e.bucket_bounds), 1) as `bucketsMap.present`
from mixed_block_rows
array join evidence as e
where kind = 'evidence'
  and (
      empty(stored_targets)
      or not hasAny(
          stored_targets,
          arrayPushBack(
              arrayMap(the_table -> concat(the_table, ' ', toString(toYYYYMM(hour))), ['usage_hourly', 'impact_hourly']),
              'evidence_hourly'
          )
      )
  );

create view if not exists harmful_by_evidence {on_cluster}
(
    feature_name String comment 'Feature with a guard that turns it off',
    environment String comment 'Environment of the evaluations and samples',
    metric String comment 'Impact metric of the guard that is worse',
    direction String comment 'up if more of it is worse, else down',
    accepted Float64 comment 'Accepted change of the guard',
    above Nullable(Float64) comment 'Bound of a histogram',
    since DateTime('UTC') comment 'Since when the rollout has been as wide',
    arm String comment 'Arm that is worse',
    arm_chances Float64 comment 'Its evaluations, or observations of a histogram',
    arm_events Float64 comment 'What the counter counted in it, or observations above the bound',
    control String comment 'Arm that it is compared with',
    control_chances Float64 comment 'Evaluations or observations of that arm',
    control_events Float64 comment 'What was counted or observed in it',
    sentence String comment 'Explanation in one sentence'
)
definer = current_user sql security definer
as with
    now('UTC') as at,
    0.01::Float64 as harmful_chance,
{include verdicts/watched_rollouts.sql}
{include verdicts/arms_trusted.sql}
{include verdicts/harmful_rollouts.sql}
select
    feature_name,
    environment,
    worst.1.metric as metric,
    worst.1.direction as direction,
    worst.1.threshold as accepted,
    worst.1.above as above,
    since,
    worst.2 as arm,
    worst.4 as arm_chances,
    worst.5 as arm_events,
    worst.3 as control,
    worst.6 as control_chances,
    worst.7 as control_events,
{include verdicts/sentence.sql}
from harmful_rollouts
where has(worst.1.turn_off, environment)
settings join_use_nulls = 0, join_algorithm = 'hash', optimize_and_compare_chain = 0
comment 'Guards that are worse by what these tokens sent: harmful_by_evidence(features = [...], tokens = [...])';
