/** The numbers of reconcile, read from ClickHouse and from the log, and the differences between the two. */
export * from './open-accounting.ts';
export * from './differences.ts';
export * from './document-schema.ts';
export * from './document.ts';
export { readShardedAccounting } from './sharded-accounting.ts';
export * from './stored-accounting.ts';
export * from './since.ts';
export { type StoredTotals, lagOf } from './totals.ts';
export { createWaitingTime } from './waiting-time.ts';
export { AccountingUnavailableError } from './unavailable.ts';
