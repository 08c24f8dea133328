/** The numbers of reconcile, read from ClickHouse and from the log, and the differences between the two. */
export * from './open-accounting.ts';
export type { OtherProgress } from './blocks/read-progress.ts';
export * from './differences.ts';
export * from './document/document-schema.ts';
export * from './document/document.ts';
export { readShardedAccounting } from './sharded-accounting.ts';
export * from './stored-accounting.ts';
export * from './document/since.ts';
export { AccountingUnavailableError } from './unavailable.ts';
