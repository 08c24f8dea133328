/** Roles of projects, for the commands of the CLI. */
export { createRoles } from './store.ts';
