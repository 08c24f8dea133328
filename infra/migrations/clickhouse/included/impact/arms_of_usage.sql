        arrayJoin([('enabled', toInt64(u.yes)), ('disabled', toInt64(u.no))]) as arms
