/** What a text, a name, a time and a body may be: the validator, and members that several schemas share. */
export { isUuid } from './ajv.ts';
export * from './query.ts';
export * from './schema.ts';
export * from './days.ts';
export * from './names.ts';
export * from './schema-problems.ts';
export * from './timestamps.ts';
export * from './validator.ts';
