/** Tokens, the callers that they represent, the permissions of callers, and names: pure. */
export * from './callers.ts';
export * from './lifetimes.ts';
export * from './names.ts';
export * from './permissions.ts';
export * from './tokens.ts';
