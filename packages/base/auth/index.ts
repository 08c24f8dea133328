/** Authentication: verification of tokens, revocations, rates. The only importer of ioredis. */
export * from './credentials.ts';
export * from './redis/rates.ts';
export * from './redis/redis-probe.ts';
export * from './redis/revocations.ts';
export * from './sessions/stored-sessions.ts';
export * from './tokens/stored-credentials.ts';
export * from './tokens/stored-tokens.ts';
export { type FindTokens, createTokenLookups } from './tokens/verifying/token-lookups.ts';
export * from './tokens/ending-tokens.ts';
export * from './tokens/replaced-tokens.ts';
export * from './tokens/standing.ts';
export * from './tokens/token-ages.ts';
export type { StoredToken } from './tokens/token-rows.ts';
export * from './tokens/token-uses.ts';
export * from './tokens/token-validation.ts';
export * from './tokens/verifying/token-verifier.ts';
export type { RejectedBodiesWrite, RejectedBody } from './tokens/rejected-bodies.ts';
