/** Our use of ClickHouse; the only importer of its client. */
export { failIfSingleServer } from './all-shards.ts';
export * from './blocks/blocks.ts';
export { LARGEST_USED_RATIO } from './blocks/deduplication-window.ts';
export type { Session } from './blocks/session.ts';
export * from './backup.ts';
export { caughtUp } from './catch-up.ts';
export * from './client.ts';
export * from './dead-letters.ts';
export { beginEpoch, readCurrentEpoch, readEpoch, shareEpoch } from './epochs.ts';
export * from './export-usage.ts';
export { migrateAllShards, migrateClickHouse } from './migrations.ts';
export * from './read-usage.ts';
export * from './rebuild.ts';
export { refreshVerdicts } from './refresh-verdicts.ts';
export * from './retention.ts';
export { checkEveryReplica, checkShard } from './shard-numbers.ts';
export * from './shards.ts';
export { withoutStackTrace } from './without-stack-trace.ts';
