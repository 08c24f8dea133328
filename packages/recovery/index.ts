/** Repairs by operators: dead letters, days that ClickHouse has lost, backups. */
export * from './backup/back-up.ts';
export { BACKED_UP, restore } from './backup/restore.ts';
export { type DayChange, type DayRange, isSame } from './day-changes.ts';
export * from './engines.ts';
export * from './letters.ts';
export * from './rebuild-days.ts';
export { completeReplays } from './replay-letter.ts';
export * from './resolve-letters.ts';
