/** What counts are joined with: applications and instances that relays report, and the copies of them that analysts read. */
export * from './catalogue-sync.ts';
export * from './prune-applications.ts';
export * from './register-applications.ts';
