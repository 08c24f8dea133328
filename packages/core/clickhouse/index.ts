/** Our use of ClickHouse; the only importer of its client. */
export { failIfSingleServer } from './shards/all-shards.ts';
export * from './blocks/blocks.ts';
export { LARGEST_USED_RATIO } from './blocks/deduplication-window.ts';
export { readSeriesForRebuild } from './blocks/counter-states.ts';
export { markerKey } from './blocks/markers.ts';
export type { PartitionKey } from './blocks/partition-key.ts';
export type { Session } from './blocks/insert-session.ts';
export * from './backup.ts';
export { caughtUp } from './shards/catch-up.ts';
export * from './client/client.ts';
export * from './dead-letter-outcomes.ts';
export { beginEpoch, readCurrentEpoch, readEpoch, shareEpoch } from './epochs.ts';
export * from './export-usage.ts';
export {
  migrateAllShards,
  migrateClickHouse,
  migrateScratch,
  readMigration,
} from './migrations/migrations.ts';
export * from './read-usage.ts';
export * from './rebuild.ts';
export { refreshVerdicts } from './refresh-verdicts.ts';
export * from './retention.ts';
export { checkEveryReplica, checkShard } from './shards/shard-numbers.ts';
export * from './shards/shards.ts';
export { withoutStackTrace } from './client/without-stack-trace.ts';
