import { parseTimestamp } from '#domain';
import { HttpProblem } from '#http';
import type { AdminRequest } from './operation.ts';

type Range = { readonly least: number; readonly most: number; readonly otherwise: number };

/** A query parameter that is a whole number: 400 for any other. */
export function wholeNumber(
  { query }: AdminRequest,
  name: string,
  { least, most, otherwise }: Range,
): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new HttpProblem(400, `The parameter ${name} is a whole number from ${least} to ${most}.`);
  return value;
}

/** A query parameter that is a decimal number, `0.25`: 400 for any other. */
export function decimalNumber(
  { query }: AdminRequest,
  name: string,
  { least, most, otherwise }: Range,
): number {
  const text = query[name];
  if (text === undefined) return otherwise;
  const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most))
    throw new HttpProblem(400, `The parameter ${name} is a number from ${least} to ${most}.`);
  return value;
}

/** A query parameter that is a day, `2026-11-21`: 400 for any other, undefined if it is left out. */
export function day({ query }: AdminRequest, name: string): string | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  // The years that a Date of ClickHouse holds.
  const isDay = /^(19[789]|20)\d/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;
  if (!isDay) throw new HttpProblem(400, `The parameter ${name} is a day, such as 2026-11-21.`);
  return text;
}
