    minute DateTime('UTC') comment 'Start of the minute in which the {of} arrived, which is when somebody reported them, not when they happened',
