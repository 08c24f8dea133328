import { parseTimestamp } from '#base/schema';
import { FlagmeterError } from '#base/runtime';
import { MAX_USAGE_HOURS } from '#unleash/client';

const HOUR_MS = 3_600_000;

/** Hours [from, to), epoch milliseconds. */
export type Hours = { readonly from: number; readonly to: number };

export type HoursOptions = { readonly day?: string; readonly hour?: string };

/** The whole hours to compare: the complete hours of a day, or one hour. The default is the last complete hour. */
export function hoursOf({ day, hour }: HoursOptions, now: number): Hours {
  if (day !== undefined && hour !== undefined)
    throw new FlagmeterError('usage', '--day and --hour exclude each other');
  const current = Math.floor(now / HOUR_MS) * HOUR_MS;
  const asked = askedHours({ day, hour }, current);
  const oldest = current - (MAX_USAGE_HOURS - 1) * HOUR_MS;
  const hours = { from: Math.max(asked.from, oldest), to: Math.min(asked.to, current + HOUR_MS) };
  if (hours.from < hours.to) return hours;
  throw new FlagmeterError(
    'usage',
    `Unleash keeps the last ${MAX_USAGE_HOURS} hours, and no others can be compared`,
  );
}

/** The number of hours that Unleash must return, including the current one. */
export function hoursBackOf({ from }: Hours, now: number): number {
  return Math.min(MAX_USAGE_HOURS, Math.ceil((now - from) / HOUR_MS) + 1);
}

function askedHours(
  { day, hour }: { day: string | undefined; hour: string | undefined },
  current: number,
): Hours {
  if (day !== undefined) {
    const from = /^\d{4}-\d\d-\d\d$/.test(day) ? parseTimestamp(`${day}T00:00:00Z`) : undefined;
    if (from === undefined) throw new FlagmeterError('usage', '--day must be a day: 2026-11-21');
    return { from, to: Math.min(from + 24 * HOUR_MS, current) };
  }
  if (hour === undefined) return { from: current - HOUR_MS, to: current };
  const time = parseTimestamp(hour);
  if (time === undefined) throw new FlagmeterError('usage', '--hour must be a time: 2026-11-21T10:00:00Z');
  const from = Math.floor(time / HOUR_MS) * HOUR_MS;
  return { from, to: from + HOUR_MS };
}
