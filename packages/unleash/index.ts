/** Unleash's HTTP API, as we call it for our own purposes. */
export * from './client.ts';
export * from './unleash-error.ts';
export * from './validate-tokens.ts';
