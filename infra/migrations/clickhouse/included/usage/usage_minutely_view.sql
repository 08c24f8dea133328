create materialized view if not exists usage_minutely_view {on_cluster} to usage_minutely as
select
    feature_name,
    environment,
    app_name,
    minute,
    yes,
    no,
    unknown,
    reports,
    variants as `variantsMap.variant`,
    variant_counts as `variantsMap.count`
from block_rows
where kind in ('count', 'minutes_mark')
  and minute != toDateTime(0, 'UTC')
  and (empty(stored_targets) or not has(stored_targets, concat('usage_minutely ', toString(toYYYYMMDD(minute)))))
comment 'Compared from {compared_from} on';
