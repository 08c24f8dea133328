import path from 'node:path';

/** Options of Node for a program that runs from its sources. */
export const FROM_SOURCES = [
  '--conditions=flagmeter-source',
  `--import=${path.join(import.meta.dirname, 'sources.mjs')}`,
] as const;
