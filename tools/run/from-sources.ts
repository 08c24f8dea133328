/** Options of Node for a program that runs from its sources. */
export const FROM_SOURCES = [
  '--conditions=flagmeter-source',
  `--import=${new URL('sources.mjs', import.meta.url).href}`,
] as const;
