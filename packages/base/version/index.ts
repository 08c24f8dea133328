/** Which flagmeter this is, where its files are, and the Node that it needs. Imports nothing, so that the command line starts at once. */
export { whyTooOld } from './node-version.ts';
export { projectRoot } from './project-root.ts';
export { readVersion } from './version.ts';
