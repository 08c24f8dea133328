/** JSON schemas: the validator, and members that several schemas share. */
export { isStorable, isUuid } from './ajv.ts';
export * from './query.ts';
export * from './schema.ts';
