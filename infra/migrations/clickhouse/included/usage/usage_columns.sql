    yes UInt64 comment 'Evaluations that were enabled',
    no UInt64 comment 'Evaluations that were disabled',
    unknown UInt64 comment 'Evaluations whose result the sender did not report; neither yes nor no',
    reports UInt64 comment 'Metrics that relays sent for it',
