/** API tokens, for the commands of the CLI. */
export { isValid } from './rules.ts';
export { createApiTokens } from './store.ts';
