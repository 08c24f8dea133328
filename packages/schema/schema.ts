import type { ValidateFunction } from 'ajv';
import { createAjv } from './ajv.ts';

/** A JSON schema as the OpenAPI document carries it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One problem of a body: where (JSON pointer) and what was expected. Never carries a value of the body. */
export type BodyProblem = { readonly path: string; readonly message: string };

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
export const count = (description: string) => ({ type: 'integer', minimum: 0, description }) as const;

/** URL-friendly names, 1 to 100 long, not `.` or `..` (docs/unleash.md#names). */
export const urlName = (description: string) =>
  ({ type: 'string', pattern: '^(?!\\.{1,2}$)[A-Za-z0-9_.~-]{1,100}$', description }) as const;

const ajv = createAjv();

/** The guard of a schema. T must be `FromSchema` of it. */
export function compileGuard<T>(schema: JsonSchema): ValidateFunction<T> {
  return ajv.compile<T>(schema);
}

/** Problems that a guard has just found. */
export function problemsOf({ errors }: Pick<ValidateFunction, 'errors'>): BodyProblem[] {
  return (errors ?? []).slice(0, 10).map(({ instancePath, message, keyword, params }) => ({
    path: instancePath.slice(0, 200),
    message: describe(keyword, message, params),
  }));
}

function describe(keyword: string, message: string | undefined, params: Record<string, unknown>): string {
  if (keyword === 'enum' && Array.isArray(params['allowedValues']))
    return `must be one of ${params['allowedValues'].join(', ')}`;
  if (keyword === 'format' && params['format'] === 'storable') return 'must not hold NUL';
  if (keyword === 'format' && params['format'] === 'date') return 'must be a day, such as 2026-11-21';
  if (keyword === 'format' && params['format'] === 'date-time') return 'must be an RFC 3339 date and time';
  return message ?? 'is not valid';
}
