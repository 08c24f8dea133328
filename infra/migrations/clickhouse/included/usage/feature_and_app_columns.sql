    environment LowCardinality(String) comment 'Environment of the evaluations',
    feature_name LowCardinality(String) comment 'Feature that was evaluated',
    app_name LowCardinality(String) comment 'Application that evaluated it',
