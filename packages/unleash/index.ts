/** Unleash's HTTP API, as we call it for our own purposes. */
export * from './check-token.ts';
export * from './client.ts';
export * from './list-tokens.ts';
export * from './push-batch.ts';
export * from './unleash-error.ts';
export * from './validate-tokens.ts';
