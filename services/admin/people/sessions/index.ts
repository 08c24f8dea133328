/** Sessions, for the commands of the CLI. */
export { createSessionsStore } from './store.ts';
