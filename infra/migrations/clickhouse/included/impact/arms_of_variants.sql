        arrayJoin([(variant::String, toInt64(v.count)), ('enabled', -toInt64(v.count))]) as arms
