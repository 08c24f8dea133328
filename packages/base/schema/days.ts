import { parseTimestamp } from './timestamps.ts';

const DAY_MS = 24 * 3600_000;

/** Days since the epoch of an ISO date; undefined if there is no such day. */
export function parseDay(text: string): number | undefined {
  const ms = parseTimestamp(`${text}T00:00:00Z`);
  return ms === undefined ? undefined : dayOf(ms);
}

/** Days since the epoch of a time. */
export function dayOf(ms: number): number {
  return Math.floor(ms / DAY_MS);
}

/** The ISO date of days since the epoch. */
export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

export function startOfDayMs(day: number): number {
  return day * DAY_MS;
}
