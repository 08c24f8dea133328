    app_name String comment 'Application',
    environment String comment 'Environment that it named',
    verdict String comment 'clock_skew, silent_instance or mixed_sdk_versions',
    since DateTime('UTC') comment 'Start of the condition within the examined time',
    value Float64 comment 'Measured value: refused metrics or hours ahead, silent instances, versions',
    threshold Float64 comment 'Threshold for the measured value',
    subject String comment 'The instance that is silent for longest, or the versions; else empty',
    sentence String comment 'Explanation in one sentence'
