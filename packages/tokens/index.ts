/** Tokens, the callers that they represent, and the permissions of callers: pure. */
export * from './callers.ts';
export * from './lifetimes.ts';
export * from './permissions.ts';
export * from './tokens.ts';
