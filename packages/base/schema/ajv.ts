import type { Ajv, Options } from 'ajv';
import { parseDay } from './days.ts';
import { problemOfName, problemOfText } from './names.ts';
import { parseTimestamp } from './timestamps.ts';
import { createAjv } from './validator.ts';
import { cleanTag, cleanText, isAddress, isUserName } from '#base/tokens';

/** A validator with the formats that our schemas use. */
export function createSchemaAjv(options: Options = {}): Ajv {
  const ajv = createAjv(options);
  ajv.addKeyword('example');
  ajv.addFormat('storable', { type: 'string', validate: isStorable });
  ajv.addFormat('name', { type: 'string', validate: (value) => problemOfName(value) === undefined });
  ajv.addFormat('visible', {
    type: 'string',
    validate: (value) => isStorable(value) && cleanText(value) !== '',
  });
  ajv.addFormat('tag', {
    type: 'string',
    validate: (value) => isStorable(value) && TAG.test(cleanTag(value)),
  });
  ajv.addFormat('user-name', { type: 'string', validate: (value) => isStorable(value) && isUserName(value) });
  ajv.addFormat('address', { type: 'string', validate: (value) => isStorable(value) && isAddress(value) });
  ajv.addFormat('date', { type: 'string', validate: (value) => parseDay(value) !== undefined });
  ajv.addFormat('date-time', { type: 'string', validate: isDateTime });
  ajv.addFormat('time-zone', { type: 'string', validate: isTimeZone });
  ajv.addFormat('uuid', { type: 'string', validate: isUuid });
  return ajv;
}

const TAG = /^[^:]+:.+$/;

function isStorable(value: string): boolean {
  return problemOfText(value) === undefined;
}

export function isUuid(value: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/** RFC 3339, without leap seconds, because a Date has none. */
function isDateTime(value: string): boolean {
  const pattern = /^[\d-]{10}T\d\d:\d\d:[0-5]\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;
  return pattern.test(value) && parseTimestamp(value) !== undefined;
}

/** The name of a zone in the IANA database, such as Europe/Berlin. An offset such as +01:00 is none. */
function isTimeZone(value: string): boolean {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
