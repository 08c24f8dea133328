import { parseTimestamp } from '#counting';
import { FlagmeterError } from '#runtime';
import { MAX_USAGE_HOURS } from '#unleash';

const HOUR_MS = 3_600_000;

/** Hours [from, to), epoch milliseconds. */
export type Hours = { readonly from: number; readonly to: number };

export type HoursOptions = { readonly day?: string; readonly hour?: string };

/** The whole hours to compare: those of a day that are over, or one hour; by default the last one that is over. */
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

/** How many hours back Unleash must look, this one included. */
export function hoursBackOf({ from }: Hours, now: number): number {
  return Math.min(MAX_USAGE_HOURS, Math.ceil((now - from) / HOUR_MS) + 1);
}

function askedHours(
  { day, hour }: { day: string | undefined; hour: string | undefined },
  current: number,
): Hours {
  if (day !== undefined) {
    const from = /^\d{4}-\d\d-\d\d$/.test(day) ? parseTimestamp(`${day}T00:00:00Z`) : undefined;
    if (from === undefined) throw new FlagmeterError('usage', '--day takes a day: 2026-11-21');
    return { from, to: Math.min(from + 24 * HOUR_MS, current) };
  }
  if (hour === undefined) return { from: current - HOUR_MS, to: current };
  const time = parseTimestamp(hour);
  if (time === undefined) throw new FlagmeterError('usage', '--hour takes a time: 2026-11-21T10:00:00Z');
  const from = Math.floor(time / HOUR_MS) * HOUR_MS;
  return { from, to: from + HOUR_MS };
}
