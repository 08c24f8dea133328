/** Examines an installation for an operator: engines, topics, tables, tokens and the accounting. It only reads. */
export { examine } from './examine.ts';
export type { Finding } from './finding.ts';
