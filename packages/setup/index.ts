/** Makes the engines ready for the services, and says in one sentence each why one cannot be used. */
export { reachEngines } from './reach.ts';
export { setUp } from './set-up.ts';
export { setUpTables } from './tables.ts';
