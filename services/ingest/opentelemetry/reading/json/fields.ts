import { MalformedBody } from '../found.ts';

/** An object of the JSON form of protobuf. Members that are null are absent, and unknown ones are ignored. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong('an object');
  return value as Fields; // any members
}

export function optionalFields(value: unknown): Fields {
  return value == null ? {} : fieldsOf(value);
}

export function listOf(value: unknown): readonly unknown[] {
  if (value == null) return [];
  if (!Array.isArray(value)) throw wrong('a list');
  return value;
}

export function textOf(value: unknown): string {
  if (value == null) return '';
  if (typeof value !== 'string') throw wrong('a text');
  return value;
}

export function isTrue(value: unknown): boolean {
  if (value == null) return false;
  if (typeof value !== 'boolean') throw wrong('true or false');
  return value;
}

/** A number of 32 bits. */
export function wholeOf(value: unknown): number {
  if (value == null) return 0;
  if (!Number.isInteger(value)) throw wrong('a whole number');
  return Number(value);
}

/** The protocol writes enums as numbers, libraries of protobuf also by their names. */
export function enumOf(value: unknown, names: readonly string[]): number {
  const index = typeof value === 'string' ? names.indexOf(value) : -1;
  return index === -1 ? wholeOf(value) : index;
}

/** A number of 64 bits, which JSON writes as a text or a number. Rounded beyond 2^53. */
export function signedOf(value: unknown): number {
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return Number(value);
  if (Number.isInteger(value)) return Number(value);
  throw wrong('a whole number, as text');
}

/** As `signedOf`, and exact. */
export function integerOf(value: unknown): bigint {
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  if (Number.isInteger(value)) return BigInt(Number(value));
  throw wrong('a whole number, as text');
}

/** A number, or one of the texts that JSON has for other values. */
export function doubleOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  throw wrong('a number');
}

/** Nanoseconds since the epoch, as milliseconds with a fraction to a microsecond; 0 if absent. */
export function timeOf(value: unknown): number {
  if (value == null || value === '') return 0;
  // A number has lost its last digits already.
  const digits = Number.isInteger(value) ? BigInt(Number(value)).toString() : value;
  if (typeof digits !== 'string' || !/^\d{1,20}$/.test(digits)) throw wrong('a time in nanoseconds, as text');
  return Number(digits.slice(0, -6)) + Number(digits.slice(-6, -3)) / 1000;
}

function wrong(expected: string): MalformedBody {
  return new MalformedBody(`The body is not JSON of this message: a member must be ${expected}.`);
}
