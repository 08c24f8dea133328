-- Verdicts on features and applications, each with a sentence that explains it. Only complete hours and days count.
-- feature_verdicts_at and app_verdicts_at take the moment and the thresholds as parameters. The views without _at use
-- the default thresholds. A filter on the feature uses the index of each table.
-- Two settings make planning cheaper, because planning dominates the time of a query for one feature. The search for
-- chains of comparisons finds none and took 80 ms. The tables of a parallel join took 15 ms to set up for a few rows.

create view if not exists feature_verdicts_at {on_cluster}
(
{include verdicts/feature_verdict_columns.sql}
    sentence String comment 'Explanation in one sentence'
)
definer = current_user sql security definer
as with
    {at:DateTime('UTC')} as at,
    {constant_days:UInt32} as constant_days,
    {constant_evaluations:UInt64} as constant_evaluations,
    {silent_days:UInt32} as silent_days,
    {new_days:UInt32} as new_days,
    {called_evaluations:UInt64} as called_evaluations,
    {cliff_hours:UInt32} as cliff_hours,
    {cliff_share:Float64} as cliff_share,
    {cliff_evaluations:UInt64} as cliff_evaluations,
    {drift_hours:UInt32} as drift_hours,
    {drift_index:Float64} as drift_index,
    {drift_evaluations:UInt64} as drift_evaluations,
    {dead_days:UInt32} as dead_days,
    {dead_evaluations:UInt64} as dead_evaluations,
    {harmful_chance:Float64} as harmful_chance,
{include verdicts/feature_verdicts.sql}
settings join_use_nulls = 0, join_algorithm = 'hash', optimize_and_compare_chain = 0
comment 'Verdicts as of a moment, with thresholds: feature_verdicts_at(at = now(), constant_days = 30, ...)';

-- ClickHouse computes it again a minute after the last time, because planning alone takes as long as an answer may take.
-- On one thread, so that it leaves the other cores to counting. Each server has its own, also with replicas.
create materialized view if not exists feature_verdict_snapshot {on_cluster}
refresh after 1 minute
(
{include verdicts/feature_verdict_columns.sql}
    sentence String comment 'Explanation in one sentence',
    computed_at DateTime('UTC') comment 'As of when'
)
engine = MergeTree
order by (feature_name, environment, verdict)
empty
definer = current_user sql security definer
as select *, now('UTC') as computed_at
from (
with
    now('UTC') as at,
    30::UInt32 as constant_days,
    1000::UInt64 as constant_evaluations,
    7::UInt32 as silent_days,
    7::UInt32 as new_days,
    100::UInt64 as called_evaluations,
    6::UInt32 as cliff_hours,
    0.5::Float64 as cliff_share,
    1000::UInt64 as cliff_evaluations,
    12::UInt32 as drift_hours,
    0.2::Float64 as drift_index,
    1000::UInt64 as drift_evaluations,
    7::UInt32 as dead_days,
    100::UInt64 as dead_evaluations,
    0.01::Float64 as harmful_chance,
{include verdicts/feature_verdicts.sql}
)
settings join_use_nulls = 0, join_algorithm = 'hash', optimize_and_compare_chain = 0, max_threads = 1
comment 'Verdicts on each feature as of the last minute. Read feature_verdicts instead';

create view if not exists feature_verdicts {on_cluster}
(
{include verdicts/feature_verdict_columns.sql}
    sentence String comment 'Explanation in one sentence',
    computed_at DateTime('UTC') comment 'As of when'
)
definer = current_user sql security definer
as select feature_name, environment, verdict, since, evaluations, value, threshold, subject, sentence, computed_at
from feature_verdict_snapshot
comment 'Verdicts on each feature in each environment, with default thresholds; computed again each minute';

create view if not exists hottest_constant_flags {on_cluster}
(
    environment LowCardinality(String) comment 'Environment of the evaluations',
    rank UInt64 comment 'Rank by evaluations in the environment, from 1',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    verdict String comment 'always_on or always_off',
    evaluations UInt64 comment 'Evaluations in 30 days',
    sentence String comment 'Explanation in one sentence'
)
definer = current_user sql security definer
as select
    environment,
    row_number() over (partition by environment order by evaluations desc, feature_name) as rank,
    feature_name,
    verdict,
    evaluations,
    sentence
from feature_verdicts
where verdict in ('always_on', 'always_off')
comment 'Features that always return the same, most evaluated first: clean these up first';

create view if not exists app_verdicts_at {on_cluster}
(
{include verdicts/app_verdict_columns.sql}
)
definer = current_user sql security definer
as with
    {at:DateTime('UTC')} as at,
    {skew_metrics:UInt64} as skew_metrics,
    {silent_intervals:UInt32} as silent_intervals,
{include verdicts/app_verdicts.sql}
comment 'Verdicts as of a moment, with thresholds: app_verdicts_at(at = now(), skew_metrics = 10, silent_intervals = 3)';

-- Not by app_verdicts_at, because ClickHouse analyses a view with parameters twice.
create view if not exists app_verdicts {on_cluster}
(
{include verdicts/app_verdict_columns.sql}
)
definer = current_user sql security definer
as with
    now('UTC') as at,
    10::UInt64 as skew_metrics,
    3::UInt32 as silent_intervals,
{include verdicts/app_verdicts.sql}
comment 'Verdicts on each application in each environment, with default thresholds';
