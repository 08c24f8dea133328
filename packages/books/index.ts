/** The books of reconcile, read from both sides: what ClickHouse holds, and what the log does. */
export * from './books.ts';
export * from './document.ts';
export { BooksUnavailableError } from './unavailable.ts';
