/** The numbers of reconcile, read from both sides, ClickHouse and the log, and the differences between them. */
export * from './open-accounting.ts';
export * from './differences.ts';
export * from './document-schema.ts';
export * from './document.ts';
export * from './stored-accounting.ts';
export * from './since.ts';
export { AccountingUnavailableError } from './unavailable.ts';
