create view if not exists exposures_by_{period} {on_cluster}
(
{include periods/{period}_column.sql of=evaluations}
{include usage/feature_and_app_columns.sql}
{include impact/exposure_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    {period},
    environment,
    feature_name,
    app_name,
    arms.1 as arm,
    sum(arms.2) as exposures,
{include periods/{period}_is_complete.sql}
from (
    select
        {period},
        environment,
        feature_name,
        app_name,
{include impact/arms_of_usage.sql}
    from usage_{step} as u
    where feature_name != ''
    union all
    select
        {period},
        environment,
        feature_name,
        app_name,
{include impact/arms_of_variants.sql}
    from variants_{step} as v
    where feature_name != ''
      and variant not in ('enabled', 'disabled')
)
group by {period}, environment, feature_name, app_name, arm
having exposures > 0
comment 'Evaluations per {period}, environment, feature, application and arm';
