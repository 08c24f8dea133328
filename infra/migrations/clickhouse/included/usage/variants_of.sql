    sum(v.count) as count,
{include periods/{period}_is_complete.sql}
from variants_{step} as v
