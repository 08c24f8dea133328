/** Authentication: verification of tokens, revocations, rates. The only importer of ioredis. */
export * from './credentials.ts';
export * from './rates.ts';
export * from './redis-probe.ts';
export * from './revocations.ts';
export * from './stored-credentials.ts';
export * from './stored-tokens.ts';
export type { FindTokens } from './token-lookups.ts';
export * from './token-uses.ts';
export * from './token-validation.ts';
export * from './token-verifier.ts';
export * from './unleash/unleash-tokens.ts';
