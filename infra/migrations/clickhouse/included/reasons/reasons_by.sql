create view if not exists reasons_by_{period} {on_cluster}
(
{include periods/{period}_column.sql of=evaluations}
{include usage/feature_and_app_columns.sql}
{include reasons/reason_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    {period},
    environment,
    feature_name,
    app_name,
    provider,
    reason,
    error_type,
    sum(r.evaluations) as evaluations,
{include periods/{period}_is_complete.sql}
from reasons_{step} as r
where feature_name != ''
group by {period}, environment, feature_name, app_name, provider, reason, error_type
comment 'Why flags had their values, per {period}; only of evaluations that OpenTelemetry sent';
