/** Unleash's stored history: copied to our Postgres as messages, and counted in blocks like the messages of Kafka. */
export { type DayDifference, differencesOf } from './differences.ts';
export { lostImports, readCountedImports } from './counted-imports.ts';
export { countedOf, encodePage } from './encode-page.ts';
export { isHistoryInDoubt, readHistoryBlocks } from './history-blocks.ts';
export * from './import-history.ts';
export { createHistoryImports } from './imports.ts';
export { type SourceDay, planOf } from './plan.ts';
export { openWholeAccounting } from './whole-accounting.ts';
