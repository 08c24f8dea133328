    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.unknown) as unknown,
    sum(u.reports) as reports,
    (hour < toStartOfHour(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_hourly as u
