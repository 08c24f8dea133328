-- Limits for the user who counts (CLICKHOUSE_USER: workers, migrations, retention, replay). They stop a mistake, never honest work: an
-- INSERT takes about 100 MB, each worker sends few at a time, and merges and mutations are not charged to a user.
-- Run it once as an administrator, then:  alter user flagmeter settings profile 'flagmeter_worker';

-- No max_memory_usage_for_user: ClickHouse charges a user for memory that is free again until the user has no query left
-- (ClickHouse #113060), and workers always have one. In the end it would stop counting.
create settings profile if not exists flagmeter_worker settings
    max_memory_usage = 4000000000,
    max_concurrent_queries_for_user = 200,
    max_temporary_data_on_disk_size_for_user = 50000000000;
