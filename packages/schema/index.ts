/** JSON schemas: the validator, and the members that our schemas share. */
export { isStorable } from './ajv.ts';
export * from './query.ts';
export * from './schema.ts';
