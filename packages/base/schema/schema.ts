import { URL_NAME } from './names.ts';
import { type Guard, lazyGuard } from './validator.ts';
import { createSchemaAjv } from './ajv.ts';

/** A JSON schema as it appears in the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export const text = (description: string, maxLength = 255) =>
  ({ type: 'string', maxLength, format: 'storable', description }) as const;
export const nullableText = (description: string, maxLength = 255) =>
  ({ type: ['string', 'null'], maxLength, format: 'storable', description }) as const;
export const time = (description: string) => ({ type: 'string', format: 'date-time', description }) as const;
export const nullableTime = (description: string) =>
  ({ type: ['string', 'null'], format: 'date-time', description }) as const;
export const uuid = (description: string) => ({ type: 'string', format: 'uuid', description }) as const;
export const nullableUuid = (description: string) =>
  ({ type: ['string', 'null'], format: 'uuid', description }) as const;
/** A day of the years that ClickHouse's Date type holds. */
export const day = (description: string) =>
  ({ type: 'string', format: 'date', pattern: '^(19[789]|20)', description }) as const;
/** The member of an answer that leads to the next page of a list. */
export const nextCursor = {
  type: ['string', 'null'],
  description: 'Cursor of the next page; null on the last one.',
} as const;

export const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

/** Names of features and projects. */
export const urlName = (description: string) => ({ type: 'string', pattern: URL_NAME, description }) as const;

/**
 * The members of an object that has all of them, except those that are named as optional. Spread it into a schema of the type
 * object.
 */
export function members<const Properties extends object, const Optional extends keyof Properties = never>(
  properties: Properties,
  optional: readonly Optional[] = [],
) {
  const names = Object.keys(properties) as (keyof Properties)[]; // a literal has no other keys
  const isRequired = (name: keyof Properties): name is Exclude<keyof Properties, Optional> =>
    !optional.some((other) => other === name);
  return { required: names.filter(isRequired), properties } as const;
}

const ajv = createSchemaAjv();

/** Compiles the guard of a schema. T must be `FromSchema` of that schema. */
export function compileGuard<T>(schema: JsonSchema): Guard<T> {
  return lazyGuard(() => ajv.compile<T>(schema));
}
