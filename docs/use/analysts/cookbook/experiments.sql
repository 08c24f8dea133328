-- Cookbook: experiments
-- The shares of variants.

-- How large is each variant's share, with a confidence interval?
-- Chart: a point per variant, with an error bar from `low` to `high`.
-- Beware: This Wilson interval of 95 % assumes independent evaluations; users evaluate often, so the true one is wider.
-- It shows whether the split is as planned, not which variant is better.
with 1.96 as z
select
    t.variant,
    t.served,
    round(100 * p, 2) as percent,
    round(100 * (p + z * z / (2 * n) - half) / (1 + z * z / n), 2) as low,
    round(100 * (p + z * z / (2 * n) + half) / (1 + z * z / n), 2) as high
from (
    select
        v.variant as variant,
        sum(v.count) as served,
        sum(served) over () as n,
        served / n as p,
        1.96 * sqrt(p * (1 - p) / n + 1.96 * 1.96 / (4 * n * n)) as half
    from variants_by_day as v
    where v.feature_name = 'price-experiment'
      and v.environment = 'production'
      and v.day >= today() - 7
      and v.day < today()
    group by v.variant
) as t
order by t.served desc;

-- Is the split the one that was configured?
-- Beware: A few users who evaluate often make a mismatch, and with many million evaluations the smallest difference is
-- significant. Check the size too.
select
    e.feature_name,
    e.variant,
    e.weight,
    round(e.served_percent, 1) as served_percent,
    round(e.chi_square, 2) as chi_square,
    round(e.p_value, 3) as p_value,
    e.verdict
from experiment_results as e
where e.environment = 'production'
order by e.feature_name, e.weight desc, e.variant;

-- Did the split change?
-- Beware: A new variant changes the shares of all others.
select
    t.variant,
    round(100 * t.recent / sum(t.recent) over (), 1) as percent_yesterday,
    round(100 * t.before / sum(t.before) over (), 1) as percent_week_before
from (
    select
        v.variant as variant,
        sumIf(v.count, v.day = today() - 1) as recent,
        sumIf(v.count, v.day < today() - 1) as before
    from variants_by_day as v
    where v.feature_name = 'search-ranking'
      and v.environment = 'production'
      and v.day >= today() - 8
      and v.day < today()
    group by v.variant
) as t
order by t.variant;

-- Do the variants add up to the evaluations?
-- Beware: Sum each side before you join, or `yes` counts once for each variant. Fewer variants than evaluations are
-- correct: a call that only asks whether a feature is on names none.
select
    u.feature_name,
    u.yes,
    v.served,
    greatest(toInt64(v.served) - toInt64(u.yes + u.no + u.unknown), 0) as too_many
from (
    select feature_name, sum(d.yes) as yes, sum(d.no) as no, sum(d.unknown) as unknown
    from totals_by_day as d
    where d.day = today() - 1
      and d.environment = 'production'
    group by feature_name
) as u
join (
    select feature_name, sum(d.count) as served
    from variants_by_day as d
    where d.day = today() - 1
      and d.environment = 'production'
    group by feature_name
) as v on v.feature_name = u.feature_name
order by u.feature_name;
