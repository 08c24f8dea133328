create view if not exists impact_by_{period} {on_cluster}
(
{include periods/{period}_column.sql of=samples}
{include impact/impact_columns.sql}
    is_complete Bool comment 'Whether the day or hour has ended'
)
definer = current_user sql security definer
as select
    {period},
{include impact/impact_sums.sql}
{include periods/{period}_is_complete.sql}
from impact_{step} as i
where metric_name != ''
group by {period}, environment, metric_name, metric_type, app_name, label_names, label_values
comment 'Counters and histograms per {period} and set of labels';
