/** Repairs by operators: dead letters, and days that ClickHouse has lost. */
export { type DayChange, type DayRange, isSame } from './day-changes.ts';
export * from './engines.ts';
export * from './letters.ts';
export * from './rebuild-days.ts';
export { completeReplays } from './replay-letter.ts';
export * from './resolve-letters.ts';
