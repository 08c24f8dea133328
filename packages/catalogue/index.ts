/**
 * Data that analysts join with the counts: the applications and instances that relays report, and the copy of the catalogue in
 * ClickHouse.
 */
export * from './catalogue-sync.ts';
export * from './prune-applications.ts';
export * from './register-applications.ts';
