create view if not exists totals_by_{period} {on_cluster}
(
{include periods/{period}_column.sql of=evaluations}
    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
{include usage/usage_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    {period},
    environment,
    feature_name,
{include usage/usage_of.sql period={period} step={step}}
where feature_name != ''
group by {period}, environment, feature_name
comment 'Evaluations per {period}, environment and feature, summed over all applications; several times as fast as usage_by_{period}';
