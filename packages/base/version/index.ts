/** Which flagmeter this is, and where its files are. Imports nothing, so that the command line starts at once. */
export { projectRoot } from './project-root.ts';
export { readVersion } from './version.ts';
