    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.unknown) as unknown,
    sum(u.reports) as reports,
    (day < toDate(now('UTC') - interval 5 minute))::Bool as is_complete
from usage_daily as u
