/** What the admin API takes and gives: each schema once, its type derived from it. */
export * from './accounting.ts';
export { isStorable } from './ajv.ts';
export * from './change-request-bodies.ts';
export * from './change-requests.ts';
export * from './errors.ts';
export * from './events.ts';
export * from './exchange.ts';
export * from './features.ts';
export * from './feedback.ts';
export * from './parameters.ts';
export * from './projects.ts';
export * from './refusals.ts';
export * from './schema.ts';
export * from './strategies.ts';
export * from './tokens.ts';
export * from './usage.ts';
export * from './users.ts';
export * from './verdicts.ts';
