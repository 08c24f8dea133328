/** The names and numbers that every simulated installation has. */
export const COUNTS = 'flagmeter.counts';
export const APPLICATIONS = 'flagmeter.applications';
export const DEAD_LETTERS = 'flagmeter.dead-letters';
export const COUNTS_GROUP = 'flagmeter-counts';
export const MIRROR_GROUP = 'flagmeter-mirror';
export const EPOCH = 1;
export const WINDOW_MS = 45_000;
export const APPLICATIONS_PARTITIONS = 1;
