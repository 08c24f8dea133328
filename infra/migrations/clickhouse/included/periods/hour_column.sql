    hour DateTime('UTC') comment 'Start of the hour of the {of}',
