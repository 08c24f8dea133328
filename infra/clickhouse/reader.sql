-- The user for queries on behalf of people (CLICKHOUSE_READER_USER). It may only read. All its queries together leave
-- enough memory and disk for counting. Run it once as an administrator, then:
--   create user flagmeter_reader identified by '...' default role flagmeter_reader; grant flagmeter_reader to flagmeter_reader;

-- readonly = 2 because flagmeter sets formats and timeouts.
create settings profile if not exists flagmeter_reader settings
    readonly = 2,
    max_execution_time = 60 min 1 max 300,
    max_memory_usage = 1000000000 const,
    max_memory_usage_for_user = 1200000000 const,
    max_concurrent_queries_for_user = 50 const,
    max_temporary_data_on_disk_size_for_user = 10000000000 const;

create role if not exists flagmeter_reader settings profile 'flagmeter_reader';

grant select on flagmeter.* to flagmeter_reader;
-- With several shards, reconcile also reads each shard by itself.
grant select on flagmeter_shard.* to flagmeter_reader;

-- Views read the inner tables of computed views with the rights of their definer. While ClickHouse computes, it writes to a table that it
-- then renames.
revoke select on flagmeter.`.inner`* from flagmeter_reader;
revoke select on flagmeter.`_tmp_replace`* from flagmeter_reader;
revoke select on flagmeter_shard.`.inner`* from flagmeter_reader;
revoke select on flagmeter_shard.`_tmp_replace`* from flagmeter_reader;
