/** The numbers of reconcile, read from both sides, ClickHouse and the log, and the differences between them. */
export * from './books.ts';
export * from './differences.ts';
export * from './document-schema.ts';
export * from './document.ts';
export * from './read-account.ts';
export * from './since.ts';
export { BooksUnavailableError } from './unavailable.ts';
