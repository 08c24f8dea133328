import type { ErrorObject, ValidateFunction } from 'ajv';

/**
 * One problem of a body: where (JSON pointer), what was expected and what type came. Never carries a value of the body,
 * nor a name that the body chose: `*` stands for it.
 */
export type SchemaProblem = { readonly path: string; readonly message: string };

/** What a guard found last. Its ajv must be `verbose`, for the type of what came. */
export function problemsOf({ errors }: Pick<ValidateFunction, 'errors'>): SchemaProblem[] {
  return (errors ?? []).map((error) => ({ path: pathOf(error), message: messageOf(error) }));
}

/** Each step of the instance path belongs to one of these in the schema path. */
const STEPS = new Set(['properties', 'items', 'additionalProperties']);

function pathOf({ instancePath, schemaPath }: ErrorObject): string {
  const kinds = schemaPath.split('/').filter((step) => STEPS.has(step));
  const steps = instancePath.split('/').slice(1);
  return steps.map((step, index) => (kinds[index] === 'additionalProperties' ? '/*' : `/${step}`)).join('');
}

function messageOf({ keyword, message = 'is not valid', schema, data }: ErrorObject): string {
  if (keyword === 'format') return 'must be an ISO 8601 date and time that exists';
  if (keyword === 'type') return `must be ${[schema].flat().join(' or ')}, is ${typeOf(data)}`;
  return message;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
