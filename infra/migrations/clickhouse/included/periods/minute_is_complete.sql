    (minute < toStartOfMinute(now('UTC') - interval 10 second))::Bool as is_complete
