import { notValid } from '../../denial.ts';
import { type Buckets, type Calendar, createCalendar, isUtc } from './calendar.ts';
import type { Interval } from './series-schema.ts';
import type { Resolution } from './store/series.ts';
import type { Stored } from './store/stored.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const LENGTHS_MS: Readonly<Record<Resolution, number>> = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS };
/**
 * Relays send once a minute, so the counts of an hour are there a few minutes after its end. What arrives in a minute is stored within
 * seconds.
 */
const LATE_MS: Readonly<Record<Resolution, number>> = {
  minute: 10_000,
  hour: 5 * MINUTE_MS,
  day: 5 * MINUTE_MS,
};
const DEFAULT_BUCKETS = 30;
const MAX_BUCKETS = 3000;
/** Times of seconds since 1970 in 32 bits are enough for the window and the previous one. */
const EARLIEST = Date.UTC(2000);

/** The part of a query that says which time it asks for. */
export type WindowQuery = {
  readonly interval: Interval;
  readonly timezone: string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether as many buckets directly before the window are read too. */
  readonly previous?: boolean | undefined;
};

export type Window = {
  readonly buckets: Buckets;
  readonly resolution: Resolution;
  readonly timezone: string;
  readonly previousStart: number | undefined;
};

/** Reads since when counts are stored. */
export type StoredReader = { storedFrom(now: number): Promise<Stored> };

/** The buckets of a query, and a way to read what is stored. Throws a 400 for a window that is empty or too large. */
export async function chooseWindow(
  usage: StoredReader,
  query: WindowQuery,
  now: number,
): Promise<{ readonly window: Window; readonly readStored: () => Promise<Stored> }> {
  // Only a window of local days depends on what is stored. For the others, both are read at the same time.
  const early = isLocalDays(query) ? await usage.storedFrom(now) : undefined;
  return {
    window:
      early === undefined
        ? windowOf(query, now, resolutionOf(query.interval))
        : localWindowOf(query, early, now),
    readStored: async () => early ?? usage.storedFrom(now),
  };
}

/** What an answer says about its buckets. */
export function bucketFacts(
  { buckets: { starts, end }, resolution, timezone }: Window,
  stored: Stored,
  now: number,
): {
  readonly timezone: string;
  readonly from: string;
  readonly to: string;
  readonly starts: string[];
  readonly knownFrom: string | null;
  readonly completeUntil: string;
  readonly isLastComplete: boolean;
} {
  const knownFrom = stored[resolution];
  const lengthMs = LENGTHS_MS[resolution];
  const completeUntil = Math.floor((now - LATE_MS[resolution]) / lengthMs) * lengthMs;
  return {
    timezone,
    from: isoOf(starts[0] ?? end),
    to: isoOf(end),
    starts: starts.map(isoOf),
    knownFrom: knownFrom === undefined ? null : isoOf(knownFrom),
    completeUntil: isoOf(completeUntil),
    isLastComplete: end <= completeUntil,
  };
}

function windowOf(query: WindowQuery, now: number, resolution: Resolution): Window {
  const { interval, timezone } = query;
  const calendar = createCalendar(interval, timezone);
  const buckets = bucketsOf(calendar, query, now);
  const from = buckets.starts[0] ?? buckets.end;
  const previousStart = query.previous === true ? calendar.before(from, buckets.starts.length) : undefined;
  return { buckets, resolution, timezone, previousStart };
}

function isLocalDays({ interval, timezone }: WindowQuery): boolean {
  return resolutionOf(interval) === 'day' && !isUtc(timezone);
}

/**
 * Hours are stored for a shorter time than days of UTC. A window of local days that begins before the stored hours is answered
 * in days of UTC.
 */
function localWindowOf(query: WindowQuery, stored: Stored, now: number): Window {
  const local = windowOf(query, now, 'hour');
  const begin = local.previousStart ?? local.buckets.starts[0] ?? local.buckets.end;
  return isStoredByHour(begin, stored) ? local : windowOf({ ...query, timezone: 'UTC' }, now, 'day');
}

/** Also if no older days are stored either. */
function isStoredByHour(begin: number, { hour = Infinity, day = Infinity }: Stored): boolean {
  return begin >= hour || hour < day + DAY_MS;
}

function bucketsOf(calendar: Calendar, query: WindowQuery, now: number): Buckets {
  const to = Math.min(query.to === undefined ? now : Date.parse(query.to), now);
  const from =
    query.from === undefined ? calendar.before(to - 1, DEFAULT_BUCKETS - 1) : Date.parse(query.from);
  if (from >= to) throw notValid('from must be before to, and before now.');
  if (from < EARLIEST) throw notValid('from must not be before 2000-01-01.');
  const buckets = calendar.cover(from, to, MAX_BUCKETS);
  if (buckets === undefined)
    throw notValid(
      `The window has more than ${MAX_BUCKETS} buckets. Choose a longer interval or a shorter window.`,
    );
  return buckets;
}

/** What a window reads, unless its days are those of a time zone. */
function resolutionOf(interval: Interval): Resolution {
  return interval === 'minute' || interval === 'hour' ? interval : 'day';
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
