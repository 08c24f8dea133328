/** JSON schemas: the validator, and the members that our schemas share. */
export { isStorable, isUuid } from './ajv.ts';
export * from './query.ts';
export * from './schema.ts';
