    samples,
    total,
    observations,
    bucket_bounds as `bucketsMap.bound`,
    bucket_counts as `bucketsMap.count`
from block_rows
where kind in ('impact', 'impact_mark')
