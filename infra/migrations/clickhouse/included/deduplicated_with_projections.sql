settings
    default_compression_codec = 'ZSTD(1)',
    non_replicated_deduplication_window = 20000,
    replicated_deduplication_window = 20000,
    replicated_deduplication_window_seconds = 315360000,
    deduplicate_merge_projection_mode = 'rebuild',
    materialize_projections_on_insert = 0,
    materialize_projections_on_merge = 1
