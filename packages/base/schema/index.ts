/** JSON schemas: the validator, and members that several schemas share. */
export { isUuid } from './ajv.ts';
export * from './query.ts';
export * from './schema.ts';
