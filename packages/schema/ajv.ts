import { Ajv, type Options } from 'ajv';
import { parseDay, problemOfName } from '#counting';

/** A validator that knows the formats of our schemas. */
export function createAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false, validateSchema: false, ...options });
  ajv.addKeyword('example');
  // Postgres cannot keep a NUL, nor a lone surrogate.
  ajv.addFormat('storable', { type: 'string', validate: isStorable });
  ajv.addFormat('name', { type: 'string', validate: (value) => problemOfName(value) === undefined });
  ajv.addFormat('date', { type: 'string', validate: (value) => parseDay(value) !== undefined });
  ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
  ajv.addFormat('uuid', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i);
  return ajv;
}

export function isStorable(value: string): boolean {
  return !/[\0\p{Cs}]/u.test(value);
}

const DATE_TIME =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))T[\d:]{8}(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** RFC 3339; `Date.parse` alone would take 30 February for 2 March. */
function isDateTime(value: string): boolean {
  const day = DATE_TIME.exec(value)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
