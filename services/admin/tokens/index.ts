/** API tokens, for the commands of the CLI. */
export { createApiTokens } from './store.ts';
