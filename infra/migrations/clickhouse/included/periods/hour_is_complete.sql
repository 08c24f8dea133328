    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
