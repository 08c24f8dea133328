    i.samples as samples,
    i.total as total,
    i.observations as observations,
    i.bucket_bounds as `bucketsMap.bound`,
    i.bucket_counts as `bucketsMap.count`,
    arrayWithConstant(length(i.bucket_bounds), 1) as `bucketsMap.present`
from mixed_block_rows
array join metric as m, impact as i
where kind in ('impact', 'impact_mark')
