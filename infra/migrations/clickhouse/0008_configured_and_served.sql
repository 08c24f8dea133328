-- What was configured beside what was served. Only chance is tested: an evaluation is no user, and users that
-- evaluate often make true deviations larger than these tests assume.

-- 3.29 standard errors hold 999 of 1,000 hours. SDKs read a change up to minutes later, so an hour that begins within
-- five minutes of a change is not judged.
create view if not exists rollout_by_hour {on_cluster}
(
    hour DateTime('UTC') comment 'Start of the hour of the evaluations',
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    configured_percent Nullable(Float64) comment 'Share that was configured at the start of the hour, in percent; null if it is unknown or depends on the context',
    evaluations UInt64 comment 'Evaluations of all applications whose result was reported',
    served_percent Float64 comment 'Share of these evaluations that were enabled, in percent',
    deviation Nullable(Float64) comment 'Served minus configured, in percentage points',
    chance Nullable(Float64) comment 'The largest deviation in 999 of 1,000 such hours if only chance decides, in percentage points',
    verdict String comment 'as configured, too high, too low, changed (in this hour or just before), or unknown (no single percentage)',
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    t.hour as hour,
    t.environment as environment,
    t.feature_name as feature_name,
    arrayFirst(c -> c.1 <= t.hour and t.hour < c.2, h.configurations).3 as configured_percent,
    t.yes + t.no as evaluations,
    100 * t.yes / evaluations as served_percent,
    served_percent - configured_percent as deviation,
    3.29 * sqrt(configured_percent * (100 - configured_percent) / evaluations) as chance,
    multiIf(
        arrayExists(
            at -> t.hour - interval 5 minute < at and at < t.hour + interval 1 hour,
            arrayConcat(h.configurations.1, h.configurations.2)
        ), 'changed',
        configured_percent is null, 'unknown',
        deviation > chance, 'too high',
        deviation < -chance, 'too low',
        'as configured'
    ) as verdict,
    t.is_complete as is_complete
from totals_by_hour as t
left join (
    select
        feature_name,
        environment,
        groupArray((valid_from, coalesce(valid_to, toDateTime64('2200-01-01', 3, 'UTC')), rollout_percent)) as configurations
    from feature_configuration_history
    group by feature_name, environment
) as h on h.feature_name = t.feature_name and h.environment = t.environment
where t.yes + t.no > 0
settings join_use_nulls = 0
comment 'Configured and served share of each feature per hour; unknown before feature_configuration_history begins';

-- Counts the whole hours since the configuration is in force, so that earlier weights do not disturb.
-- Computed again and again like the verdicts on features, but less often, because it reads a month of hours.
create materialized view if not exists experiment_snapshot {on_cluster}
refresh after 10 minute
(
    feature_name String comment 'Feature with variants that is on',
    environment String comment 'Environment of the evaluations',
    variant String comment 'Variant that is configured or was served',
    weight UInt32 comment 'Configured weight in thousandths; 0 if it is not configured',
    served UInt64 comment 'Evaluations that were served the variant',
    configured_percent Float64 comment 'Weight as a share of all weights, in percent',
    served_percent Float64 comment 'Share of the served evaluations of configured variants, in percent',
    counted_from DateTime('UTC') comment 'First counted hour: the first whole hour with this configuration, at most 30 days ago',
    chi_square Float64 comment 'Statistic of Pearson over the configured variants: the sum of (served - expected)^2 / expected',
    degrees UInt32 comment 'Degrees of freedom: configured variants minus one',
    p_value Float64 comment 'How likely chance alone reaches this statistic or more, from 0 to 1',
    verdict String comment 'mismatch (sample ratio mismatch, p below 0.001), as configured, too few (less than 5 expected of a variant) or not configured (this variant)',
    computed_at DateTime('UTC') comment 'As of when'
)
engine = MergeTree
order by (feature_name, environment)
empty
definer = current_user sql security definer
as select
    feature_name,
    environment,
    variant,
    variants[variant] as weight,
    counts[variant] as served,
    100 * weight / weights as configured_percent,
    100 * served / total as served_percent,
    counted_from,
    chi_square,
    degrees,
    p_value,
    multiIf(
        weight = 0, 'not configured',
        least_expected < 5, 'too few',
        p_value < 0.001, 'mismatch',
        'as configured'
    ) as verdict,
    now('UTC') as computed_at
from (
    select
        e.feature_name as feature_name,
        e.environment as environment,
        any(e.variants) as variants,
        any(e.counted_from) as counted_from,
        sumMap(map(v.variant::String, v.count)) as counts,
        mapKeys(mapFilter((name, weight) -> weight > 0, variants)) as names,
        arraySum(mapValues(variants)) as weights,
        arraySum(name -> counts[name], names) as total,
        arrayMap(name -> total * variants[name] / weights, names) as expected,
        arrayMin(expected) as least_expected,
        arraySum((name, share) -> pow(counts[name] - share, 2) / share, names, expected) as chi_square,
        toUInt32(length(names) - 1) as degrees,
{include chi_square_p_value.sql}
    from (
        select feature_name, environment, variant, hour, sum(h.count) as count
        from variants_hourly as h
        where feature_name in (select name from feature_copies final where arrayExists(one -> notEmpty(one), variants))
          and hour >= toStartOfHour(now('UTC') - interval 30 day)
          and hour < toStartOfHour(now('UTC') - interval 5 minute)
          and variant != 'disabled'
        group by feature_name, environment, variant, hour
    ) as v
    join (
        select
            name as feature_name,
            environment,
            one_variants as variants,
            greatest(
                toStartOfHour(since)::DateTime('UTC') + interval 1 hour,
                toStartOfHour(now('UTC') - interval 30 day)
            ) as counted_from
        from feature_copies final
        array join environments as environment, are_enabled as is_on, variants as one_variants, changed_at as since
        where is_on
          and not archived
          and arraySum(mapValues(one_variants)) > 0
    ) as e on e.feature_name = v.feature_name and e.environment = v.environment
    where v.hour >= e.counted_from
    group by e.feature_name, e.environment
    having total > 0
)
array join arrayDistinct(arrayConcat(names, mapKeys(counts))) as variant
settings max_threads = 1
comment 'Experiments as of the last ten minutes. Read experiment_results instead';

create view if not exists experiment_results {on_cluster}
(
    feature_name String comment 'Feature with variants that is on',
    environment String comment 'Environment of the evaluations',
    variant String comment 'Variant that is configured or was served',
    weight UInt32 comment 'Configured weight in thousandths; 0 if it is not configured',
    served UInt64 comment 'Evaluations that were served the variant',
    configured_percent Float64 comment 'Weight as a share of all weights, in percent',
    served_percent Float64 comment 'Share of the served evaluations of configured variants, in percent',
    counted_from DateTime('UTC') comment 'First counted hour: the first whole hour with this configuration, at most 30 days ago',
    chi_square Float64 comment 'Statistic of Pearson over the configured variants: the sum of (served - expected)^2 / expected',
    degrees UInt32 comment 'Degrees of freedom: configured variants minus one',
    p_value Float64 comment 'How likely chance alone reaches this statistic or more, from 0 to 1',
    verdict String comment 'mismatch (sample ratio mismatch, p below 0.001), as configured, too few (less than 5 expected of a variant) or not configured (this variant)',
    computed_at DateTime('UTC') comment 'As of when'
)
definer = current_user sql security definer
as select
    feature_name,
    environment,
    variant,
    weight,
    served,
    configured_percent,
    served_percent,
    counted_from,
    chi_square,
    degrees,
    p_value,
    verdict,
    computed_at
from experiment_snapshot
comment 'Each experiment with the chi-square test of its split, over the whole hours of its configuration; computed again every ten minutes';
