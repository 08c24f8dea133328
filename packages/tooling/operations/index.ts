/**
 * What operators run: `setup` prepares the engines (if one cannot be used, one sentence explains why), `doctor`
 * examines an installation and only reads, `recovery` repairs dead letters and lost days, backs up and restores.
 */
export { examine } from './doctor/examine.ts';
export type { Finding } from './doctor/finding.ts';
export * from './recovery/backup/back-up.ts';
export { BACKED_UP, restore } from './recovery/backup/restore.ts';
export { type DayChange, type DayRange, isSame } from './recovery/day-changes.ts';
export * from './recovery/engines.ts';
export * from './recovery/letters.ts';
export * from './recovery/rebuild-days.ts';
export { completeReplays } from './recovery/replay-letter.ts';
export * from './recovery/resolve-letters.ts';
export { reachEngines } from './setup/reach.ts';
export { setMinutes } from './setup/set-minutes.ts';
export { setUp } from './setup/set-up.ts';
export { setUpTables } from './setup/tables.ts';
