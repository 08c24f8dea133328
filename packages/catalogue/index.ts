/** What counts are joined with: applications and instances that relays report, and the sync of the catalogue for analysts. */
export * from './catalogue-sync.ts';
export * from './prune-applications.ts';
export * from './register-applications.ts';
