/** API tokens, for the commands of the CLI. */
export { NAME_OF_PERSON, isValid, sentenceOfReplaced } from './rules.ts';
export { createApiTokens } from './store.ts';
