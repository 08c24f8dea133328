/**
 * All sentences about numbers. Pages take them from here, in both times; only those of the first script take them from `first-pages.ts`,
 * because a script has this file as a whole.
 */
export * from './first-pages.ts';
export * from './flags.ts';
export * from './headings.ts';
export * from './impact.ts';
export * from './server.ts';
export * from './usage.ts';
