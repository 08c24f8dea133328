    samples UInt64 comment 'Samples that were added up; never 0, so that no row vanishes',
    total Int128 comment 'Sum of the values of a counter, or of the observed values of a histogram, in billionths',
    observations UInt64 comment 'Observations of a histogram',
    bucketsMap Nested(bound LowCardinality(String), count UInt64, present UInt64)
        comment 'Observations above the bound before and up to this one; present is never 0, so that no bound vanishes'
