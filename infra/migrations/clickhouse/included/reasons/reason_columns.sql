    provider LowCardinality(String) comment 'The system that evaluated it, as the SDK names it; empty if the sender does not say',
    reason LowCardinality(String) comment 'static, default, targeting_match, split, cached, disabled, unknown, stale, error or other',
    error_type LowCardinality(String) comment 'What failed, as flag_not_found; empty if nothing did, or if the sender does not say',
    evaluations UInt64 comment 'Evaluations with this reason',
