/**
 * Data that analysts join with the counts: the applications and instances that relays report, and the copy of the catalogue in
 * ClickHouse. In the other direction, the time of the last evaluation of each feature.
 */
export * from './catalogue-sync.ts';
export * from './last-seen-sync.ts';
export * from './prune-applications.ts';
export * from './register-applications.ts';
