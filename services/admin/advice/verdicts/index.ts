/** What the admin API answers, for the command line. */
export type { Verdicts } from './schema.ts';
