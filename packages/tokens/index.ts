/** Tokens, the callers that they stand for, and what these may do: pure. */
export * from './callers.ts';
export * from './permissions.ts';
export * from './tokens.ts';
