/** Roles of projects, for the commands of the CLI. */
export { createRoles } from './store.ts';
export { MAX_ROLES_OF_USER } from './store/access.ts';
