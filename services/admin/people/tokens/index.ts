/** API tokens, for the commands of the CLI. */
export { isValid, sentenceOfReplaced } from './rules.ts';
export { createApiTokens } from './store.ts';
