import { problemOfName } from '#base/schema';

/** What the contents of a message, and of a body that has no schema, must be. */

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is one of a list of literals. */
export function isOneOf<const Literal>(literals: readonly Literal[], value: unknown): value is Literal {
  return (literals as readonly unknown[]).includes(value);
}

/** A name that can be stored. */
export function isStorable(value: unknown): value is string {
  return typeof value === 'string' && problemOfName(value) === undefined;
}

/** Such a name, or an empty text. */
export function isText(value: unknown): value is string {
  return value === '' || isStorable(value);
}

/** A whole number from 0 to 2^53-1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The last hour of a DateTime in ClickHouse (7 February 2106). */
export const MAX_HOUR = Math.floor(0xffff_ffff / 3600) - 1;
