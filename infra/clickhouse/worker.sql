-- Limits for the user who counts (CLICKHOUSE_USER: workers, migrations, retention, replay). They stop mistakes, never
-- normal work. An INSERT takes about 100 MB, each worker sends few at a time, and merges and mutations are not
-- charged to a user.
-- Run it once as an administrator, then:  alter user flagmeter settings profile 'flagmeter_worker';

-- No max_memory_usage_for_user: ClickHouse charges a user for freed memory until the user has no running query
-- (ClickHouse #113060). Workers always have one, so the limit would finally stop counting.
create settings profile if not exists flagmeter_worker settings
    max_memory_usage = 4000000000,
    max_concurrent_queries_for_user = 200,
    max_temporary_data_on_disk_size_for_user = 50000000000;
