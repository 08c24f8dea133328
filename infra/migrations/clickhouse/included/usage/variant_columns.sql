    variant LowCardinality(String) comment 'Variant that was served',
    count UInt64 comment 'Evaluations that were served the variant',
