/**
 * Data that analysts join with the counts: the applications and instances that relays report, the relays themselves, and the copy of
 * the catalogue in ClickHouse. In the other direction, the time of the last evaluation of each feature, and the features that only another
 * flag system has.
 */
export * from './last-seen-sync.ts';
export * from './prune-applications.ts';
export * from './register-applications.ts';
export * from './register-features.ts';
export { type Fleet, RELAY_STATES, readFleet } from './relays/read-fleet.ts';
export { rollUpRelays } from './relays/roll-up-relays.ts';
export { type ArrivedReport, storeRelayReports } from './relays/store-reports.ts';
export { syncChangeRequests } from './sync/tables/change-requests.ts';
export { syncCodeReferences } from './sync/tables/code-references.ts';
export type { CopiedTable } from './sync/copied-table.ts';
export { COPIED_TABLES } from './sync/copied-tables.ts';
export { copyTable, countDifferences } from './sync/copy-table.ts';
export { syncEvents } from './sync/tables/events.ts';
export { syncFeatures } from './sync/tables/features.ts';
export { syncInstances } from './sync/tables/instances.ts';
export {
  keepPruned,
  prunePastConfigurations,
  syncPastConfigurations,
} from './sync/tables/past-configurations.ts';
export { syncProjectsAndEnvironments } from './sync/tables/projects-and-environments.ts';
