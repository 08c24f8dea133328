    sum(u.yes) as yes,
    sum(u.no) as no,
    sum(u.unknown) as unknown,
    sum(u.reports) as reports,
{include periods/{period}_is_complete.sql}
from usage_{step} as u
