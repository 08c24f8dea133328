-- Impact metrics: what applications measure beside their evaluations, such as purchases, errors and response times.
-- SDKs add a label for each feature of a measurement, named like the feature, with the variant (or enabled, disabled).

-- Totals are whole billionths. Sums of floating point numbers would depend on their order and could prove nothing.
-- Markers as in the tables of counts: a marker has no metric name, and its application is the Kafka partition.

create table if not exists impact_hourly {on_cluster}
(
{include impact/impact_key_columns.sql}
    hour DateTime('UTC') comment 'Start of the hour of the samples' codec(Delta, ZSTD(1)),
{include impact/impact_sum_columns.sql}
)
engine = {engine}SummingMergeTree((samples, total, observations, bucketsMap))
partition by toYYYYMM(hour)
order by (metric_name, environment, app_name, metric_type, label_names, label_values, hour)
ttl hour + interval 90 day
{include deduplicated.sql}
comment 'Sums of counters and histograms per hour, kept 90 days. Read impact_by_hour instead';

create table if not exists impact_daily {on_cluster}
(
{include impact/impact_key_columns.sql}
    day Date comment 'Day (UTC) of the samples' codec(Delta, ZSTD(1)),
{include impact/impact_sum_columns.sql}
)
engine = {engine}SummingMergeTree((samples, total, observations, bucketsMap))
partition by toYYYYMM(day)
order by (metric_name, environment, app_name, metric_type, label_names, label_values, day)
ttl day + interval 25 month
{include deduplicated.sql}
comment 'Sums of counters and histograms per day, kept 25 months. Read impact_by_day instead';

-- The last value, the lowest and the highest do not change if a row is stored twice, so this table has no markers.
create table if not exists gauges_hourly {on_cluster}
(
    metric_name LowCardinality(String) comment 'Impact metric',
    environment LowCardinality(String) comment 'Environment of the samples',
    app_name LowCardinality(String) comment 'Application that sent them',
    instance_id String comment 'Instance that sent them; empty behind a relay that adds up its instances',
    label_names Array(LowCardinality(String)) comment 'Names of labels, in order',
    label_values Array(LowCardinality(String)) comment 'Values of these labels',
    hour DateTime('UTC') comment 'Start of the hour of the samples',
    last SimpleAggregateFunction(max, Tuple(at DateTime64(3, 'UTC'), value Float64)) comment 'Receipt of the last sample, and its value',
    lowest SimpleAggregateFunction(min, Float64) comment 'Lowest value',
    highest SimpleAggregateFunction(max, Float64) comment 'Highest value'
)
engine = {engine}AggregatingMergeTree
partition by toYYYYMM(hour)
order by (metric_name, environment, app_name, instance_id, label_names, label_values, hour)
ttl hour + interval 90 day
{include deduplicated.sql}
comment 'Last, lowest and highest values of gauges per hour and instance, kept 90 days. Read gauges_by_hour instead';

create table if not exists impact_metric_states {on_cluster}
(
    metric_name LowCardinality(String) comment 'Impact metric',
    metric_type LowCardinality(String) comment 'counter, gauge or histogram',
    environment LowCardinality(String) comment 'Environment of its samples',
    app_name LowCardinality(String) comment 'Application that sends it',
    help SimpleAggregateFunction(max, String) comment 'Its explanation',
    label_names SimpleAggregateFunction(groupUniqArrayArray(1000), Array(String)) comment 'Names of all of its labels',
    first_hour SimpleAggregateFunction(min, DateTime('UTC')) comment 'Hour of its first sample',
    last_hour SimpleAggregateFunction(max, DateTime('UTC')) comment 'Hour of its last sample'
)
engine = {engine}AggregatingMergeTree
order by (metric_name, metric_type, environment, app_name)
ttl last_hour + interval 25 month
{include deduplicated.sql}
comment 'Each impact metric with its labels, kept as long as days. Read impact_metrics instead';

create materialized view if not exists impact_hourly_view {on_cluster} to impact_hourly as
select
    m.name as metric_name,
    m.type as metric_type,
    environment,
    app_name,
    m.label_names as label_names,
    m.label_values as label_values,
    hour,
{include impact/impact_of_block_rows.sql}
  and (empty(stored_targets) or not has(stored_targets, concat('impact_hourly ', toString(toYYYYMM(hour)))));

create materialized view if not exists impact_daily_view {on_cluster} to impact_daily as
select
    m.name as metric_name,
    m.type as metric_type,
    environment,
    app_name,
    m.label_names as label_names,
    m.label_values as label_values,
    toDate(hour) as day,
{include impact/impact_of_block_rows.sql}
  and (empty(stored_targets) or not has(stored_targets, concat('impact_daily ', toString(toYYYYMM(hour)))));

create materialized view if not exists gauges_hourly_view {on_cluster} to gauges_hourly as
select
    m.name as metric_name,
    environment,
    app_name,
    g.instance_id as instance_id,
    m.label_names as label_names,
    m.label_values as label_values,
    hour,
    (g.at, g.last)::Tuple(at DateTime64(3, 'UTC'), value Float64) as last,
    g.lowest as lowest,
    g.highest as highest
from mixed_block_rows
array join metric as m, gauge as g
where kind = 'gauge';

create materialized view if not exists impact_metric_view {on_cluster} to impact_metric_states as
select
    m.name as metric_name,
    m.type as metric_type,
    environment,
    app_name,
    m.help as help,
    m.label_names as label_names,
    hour as first_hour,
    hour as last_hour
from mixed_block_rows
array join metric as m
where kind in ('impact', 'gauge');

{include impact/impact_by.sql period=hour step=hourly}
{include impact/impact_by.sql period=day step=daily}

create view if not exists impact_histograms_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the observations',
    environment LowCardinality(String) comment 'Environment of the observations',
    metric_name LowCardinality(String) comment 'Impact metric',
    app_name LowCardinality(String) comment 'Application that observed',
    labels Map(String, String) comment 'Labels; a label that is named like a feature holds the variant, or enabled or disabled',
    bound Float64 comment 'Upper bound of the bucket; the last one is infinite',
    observations UInt64 comment 'Observations above the bound before and up to this one',
    observations_up_to UInt64 comment 'Observations up to this bound',
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    hour,
    environment,
    metric_name,
    app_name,
    cast(mapFromArrays(label_names, label_values), 'Map(String, String)') as labels,
    bound,
    observations,
    sum(observations) over (
        partition by hour, environment, metric_name, app_name, label_names, label_values
        order by bound
        rows between unbounded preceding and current row
    ) as observations_up_to,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from (
    select
        hour,
        environment,
        metric_name,
        app_name,
        label_names,
        label_values,
        if(text = '+Inf', inf, toFloat64OrZero(text)) as bound,
        sum(in_bucket) as observations
    from impact_hourly as i
    array join bucketsMap.bound as text, bucketsMap.count as in_bucket
    where metric_name != ''
      and metric_type = 'histogram'
    group by hour, environment, metric_name, app_name, label_names, label_values, bound
)
comment 'Buckets of histograms per hour and set of labels';

create view if not exists gauges_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the samples',
    environment LowCardinality(String) comment 'Environment of the samples',
    metric_name LowCardinality(String) comment 'Impact metric',
    app_name LowCardinality(String) comment 'Application that sent them',
    instance_id String comment 'Instance that sent them; empty behind a relay that adds up its instances',
    labels Map(String, String) comment 'Labels; a label that is named like a feature holds the variant, or enabled or disabled',
    last_value Float64 comment 'Last value',
    lowest Float64 comment 'Lowest value',
    highest Float64 comment 'Highest value',
    last_received_at DateTime64(3, 'UTC') comment 'Receipt of the last value',
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    hour,
    environment,
    metric_name,
    app_name,
    instance_id,
    cast(mapFromArrays(label_names, label_values), 'Map(String, String)') as labels,
    max(g.last).2 as last_value,
    min(g.lowest)::Float64 as lowest,
    max(g.highest)::Float64 as highest,
    max(g.last).1 as last_received_at,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from gauges_hourly as g
group by hour, environment, metric_name, app_name, instance_id, label_names, label_values
comment 'Gauges per hour, instance and set of labels';

create view if not exists impact_metrics {on_cluster}
(
    metric_name LowCardinality(String) comment 'Impact metric',
    metric_type LowCardinality(String) comment 'counter, gauge or histogram',
    environment LowCardinality(String) comment 'Environment of its samples',
    app_name LowCardinality(String) comment 'Application that sends it',
    help String comment 'Its explanation',
    label_names Array(String) comment 'Names of its labels, at most 1,000',
    features Array(String) comment 'Labels that are named like a feature that was evaluated',
    first_hour DateTime('UTC') comment 'Hour of its first sample',
    last_hour DateTime('UTC') comment 'Hour of its last sample'
)
definer = current_user sql security definer
as select
    metric_name,
    metric_type,
    environment,
    app_name,
    max(s.help)::String as help,
    arraySort(groupUniqArrayArray(1000)(s.label_names)) as label_names,
    arrayFilter(name -> has((select groupUniqArray(feature_name) from feature_seen), name), label_names) as features,
    min(s.first_hour)::DateTime('UTC') as first_hour,
    max(s.last_hour)::DateTime('UTC') as last_hour
from impact_metric_states as s
group by metric_name, metric_type, environment, app_name
comment 'Each impact metric, who sends it and which features its labels name';

-- The arm enabled is what the variants leave of the enabled evaluations. SDKs of Unleash have variants of these only, so the exposures of
-- all their arms add up to the evaluations. A disabled evaluation of OpenTelemetry may have a variant too, and counts for both arms.
-- Whenever a feature has no variant, SDKs also count one that is called disabled, so that name is no arm of its own.
{include impact/exposures_by.sql period=hour step=hourly}
{include impact/exposures_by.sql period=day step=daily}

-- Evaluations, not people: a person who evaluates a feature ten times is ten exposures. An event of a counter is taken
-- as independent of the others (Poisson), so the interval and the p-value fit counters of events, not of money.
create view if not exists feature_impact {on_cluster}
(
    feature_name String comment 'Feature that a label of the impact metric names',
    environment LowCardinality(String) comment 'Environment of the samples',
    metric_name LowCardinality(String) comment 'Impact metric',
    metric_type LowCardinality(String) comment 'counter or histogram',
    app_name LowCardinality(String) comment 'Application that sent the samples; exposures are its evaluations too',
    arm String comment 'Variant of the feature, or enabled, or disabled',
    control String comment 'Arm that the others are compared with: the variant control, else disabled, else the one with the most exposures',
    exposures UInt64 comment 'Evaluations that were served this arm; enabled has those without a variant',
    value Float64 comment 'Sum of the counter, or of the observed values',
    observations UInt64 comment 'Observations of a histogram',
    per_exposure Float64 comment 'Sum of a counter, or observations, for one exposure; not a number without exposures',
    ratio Float64 comment 'per_exposure divided by that of the control; not a number if one of them is missing',
    ratio_low Float64 comment 'Lower end of the 95 % confidence interval of the ratio',
    ratio_high Float64 comment 'Upper end of this interval',
    p_value Float64 comment 'How likely chance alone makes the ratio differ from 1 as much, from 0 to 1',
    p50 Float64 comment 'Median of a histogram, estimated within its bucket; not a number for counters',
    p95 Float64 comment '95th percentile',
    p99 Float64 comment '99th percentile'
)
definer = current_user sql security definer
as with
    measured as (
        select
            feature_name,
            environment,
            metric_name,
            metric_type,
            app_name,
            arm,
            toFloat64(sum(i.total)) / 1000000000 as value,
            sum(i.observations) as observations,
            sumMap(i.bucketsMap.bound, i.bucketsMap.count, i.bucketsMap.present) as buckets
        from impact_hourly as i
        array join label_names as feature_name, label_values as arm
        where metric_name != ''
          and hour >= {since:DateTime('UTC')}
          and hour < {until:DateTime('UTC')}
          and feature_name not in ('appName', 'environment', 'origin', 'projectName')
        group by feature_name, environment, metric_name, metric_type, app_name, arm
    ),
    exposed as (
        select feature_name, environment, app_name, arm, greatest(sum(x.exposures), 0)::UInt64 as exposures
        from exposures_by_hour as x
        where feature_name global in (select arrayJoin(m.label_names) from impact_metric_states as m)
          and hour >= {since:DateTime('UTC')}
          and hour < {until:DateTime('UTC')}
        group by feature_name, environment, app_name, arm
    ),
    arms as (
        select
            m.feature_name as feature_name,
            m.environment as environment,
            m.metric_name as metric_name,
            m.metric_type as metric_type,
            m.app_name as app_name,
            m.arm as arm,
            e.exposures as exposures,
            m.value as value,
            m.observations as observations,
            m.buckets as buckets,
            if(m.metric_type = 'counter', m.value, toFloat64(m.observations)) as events
        from measured as m
        left join exposed as e
            on e.feature_name = m.feature_name
           and e.environment = m.environment
           and e.app_name = m.app_name
           and e.arm = m.arm
    )
select
    feature_name,
    environment,
    metric_name,
    metric_type,
    app_name,
    arm,
    of_control.1 as control,
    exposures,
    value,
    observations,
    if(exposures = 0, nan, events / exposures) as per_exposure,
    if(exposures = 0 or events = 0 or of_control.3 = 0, nan, events / exposures / of_control.2) as ratio,
    if(arm = control, nan, ratio * exp(-1.959963984540054 * standard_error)) as ratio_low,
    if(arm = control, nan, ratio * exp(1.959963984540054 * standard_error)) as ratio_high,
    if(arm = control, nan, erfc(abs(log(ratio)) / standard_error / sqrt(2))) as p_value,
    quantiles[1] as p50,
    quantiles[2] as p95,
    quantiles[3] as p99
from (
    select
        *,
        sqrt(1 / events + 1 / of_control.3) as standard_error,
        arrayMap(
            (share, bucket) -> multiIf(
                observations = 0,
                nan,
                isInfinite(bounds[bucket]),
                if(bucket > 1, bounds[bucket - 1], nan),
                lower_bounds[bucket]
                    + (bounds[bucket] - lower_bounds[bucket])
                    * (share * observations - up_to[bucket] + counts[bucket]) / counts[bucket]
            ),
            [0.5, 0.95, 0.99],
            arrayMap(share -> arrayFirstIndex(sum -> sum >= share * observations, up_to), [0.5, 0.95, 0.99])
        ) as quantiles
    from (
        select
            *,
            arrayMap(bound -> if(bound = '+Inf', inf, toFloat64OrZero(bound)), buckets.1) as unordered,
            arraySort(unordered) as bounds,
            arraySort((_, bound) -> bound, buckets.2, unordered) as counts,
            arrayCumSum(counts) as up_to,
            arrayPopBack(arrayPushFront(bounds, least(bounds[1], 0))) as lower_bounds
        from (
            select
                *,
                argMax((arm, events / exposures, events), (arm = 'control', arm = 'disabled', exposures)) over (
                    partition by feature_name, environment, metric_name, metric_type, app_name
                ) as of_control
            from arms
        )
    )
)
settings join_use_nulls = 0
comment 'What each arm of a feature measured from a time to another: feature_impact(since = now() - interval 7 day, until = now())';
