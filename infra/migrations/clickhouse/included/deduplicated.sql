settings
    default_compression_codec = 'ZSTD(1)',
    non_replicated_deduplication_window = 20000,
    replicated_deduplication_window = 20000,
    replicated_deduplication_window_seconds = 315360000
