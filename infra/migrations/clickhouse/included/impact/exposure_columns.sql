    arm String comment 'Variant that was served, or enabled, or disabled',
    exposures Int64 comment 'Evaluations that were served this arm; enabled has those without a variant, and is negative if a sender counted more variants than evaluations',
