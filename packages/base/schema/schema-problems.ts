import type { ErrorObject } from 'ajv';
import type { Guard } from './validator.ts';
import { problemOfText } from './names.ts';

/**
 * One problem of a body: its place (JSON pointer), the expected type and the actual type. It contains no value and no name from
 * the body: `*` replaces such a name.
 */
export type SchemaProblem = { readonly path: string; readonly message: string };

/** The problems that a guard of `createAjv` found in its last call. */
export function problemsOf({ errors }: Pick<Guard, 'errors'>): SchemaProblem[] {
  return (errors ?? []).map((error) => ({ path: pathOf(error), message: messageOf(error) }));
}

/** Each step of the instance path corresponds to one of these words in the schema path. */
const STEPS = new Set(['properties', 'items', 'additionalProperties']);

function pathOf({ instancePath, schemaPath }: ErrorObject): string {
  const kinds = schemaPath.split('/').filter((step) => STEPS.has(step));
  const steps = instancePath.split('/').slice(1);
  return steps.map((step, index) => (kinds[index] === 'additionalProperties' ? '/*' : `/${step}`)).join('');
}

const FORMATS = new Map<unknown, string>([
  ['timestamp', 'must be an ISO 8601 date and time that exists'],
  ['date-time', 'must be an RFC 3339 date and time'],
  ['date', 'must be a day, such as 2026-11-21'],
  ['time-zone', 'must be a time zone, such as Europe/Berlin'],
  ['name', 'must be a name without control characters or halves of surrogate pairs'],
]);

function messageOf({ keyword, message = 'is not valid', schema, data }: ErrorObject): string {
  if (schema === 'storable' && typeof data === 'string') return problemOfText(data) ?? message;
  if (keyword === 'format') return FORMATS.get(schema) ?? message;
  if (keyword === 'enum' && Array.isArray(schema)) return `must be one of ${schema.join(', ')}`;
  if (keyword === 'type') return `must be ${[schema].flat().join(' or ')}, is ${typeOf(data)}`;
  return message;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  // JSON may hold 1e400.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number beyond 1.8e308';
  return Array.isArray(value) ? 'array' : typeof value;
}
