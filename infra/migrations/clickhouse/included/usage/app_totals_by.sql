create view if not exists app_totals_by_{period} {on_cluster}
(
{include periods/{period}_column.sql of=evaluations}
    environment LowCardinality(String) comment 'Environment of the evaluations',
    app_name LowCardinality(String) comment 'Application that evaluated it',
{include usage/usage_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    {period},
    environment,
    app_name,
{include usage/usage_of.sql period={period} step={step}}
where environment != ''
group by {period}, environment, app_name
comment 'Evaluations per {period}, environment and application, summed over all features; a thousandth of the rows of usage_by_{period}';
