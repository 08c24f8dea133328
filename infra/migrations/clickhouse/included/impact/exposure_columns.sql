    arm String comment 'Variant that was served, or enabled, or disabled',
    exposures Int64 comment 'Evaluations that were served this arm; enabled has those without a variant; disabled has all, also if their sender named a variant',
