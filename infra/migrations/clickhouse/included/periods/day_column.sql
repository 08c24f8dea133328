    day Date comment 'Day (UTC) of the {of}',
