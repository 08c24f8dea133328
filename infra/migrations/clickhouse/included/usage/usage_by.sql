create view if not exists usage_by_{period} {on_cluster}
(
{include periods/{period}_column.sql of=evaluations}
{include usage/feature_and_app_columns.sql}
{include usage/usage_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    {period},
    environment,
    feature_name,
    app_name,
{include usage/usage_of.sql period={period} step={step}}
where feature_name != ''
group by {period}, environment, feature_name, app_name
comment 'Evaluations per {period}, environment, feature and application';
