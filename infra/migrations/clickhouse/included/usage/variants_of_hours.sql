    sum(v.count) as count,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from variants_hourly as v
