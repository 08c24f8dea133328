import type { Interval } from './series-schema.ts';

/** Consecutive stretches of time, in epoch milliseconds. Each one ends where the next one starts. */
export type Buckets = { readonly starts: readonly number[]; readonly end: number };

export type Calendar = {
  /** The buckets that overlap [from, to); undefined if there are more than `max`. */
  cover(from: number, to: number, max: number): Buckets | undefined;
  /** The start of the bucket that is `count` buckets before the one that contains `ms`. */
  before(ms: number, count: number): number;
};

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Minutes or hours of UTC, or days, weeks from Monday and months as the clocks of a time zone show them. A local day is as long as the
 * change of its clocks makes it.
 */
export function createCalendar(interval: Interval, timezone: string): Calendar {
  const steps = stepsOf(interval, timezone);
  return {
    cover(from, to, max) {
      const first = steps.indexOf(from);
      const starts: number[] = [];
      for (let start = steps.startOf(first); start < to; start = steps.startOf(first + starts.length)) {
        if (starts.length === max) return undefined;
        starts.push(start);
      }
      return { starts, end: steps.startOf(first + starts.length) };
    },
    before: (ms, count) => steps.startOf(steps.indexOf(ms) - count),
  };
}

/** Whether the zone never differs from UTC. */
export function isUtc(timezone: string): boolean {
  return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone === 'UTC';
}

/** Numbers the buckets, so that neighbours have neighbouring indexes. */
type Steps = {
  indexOf(ms: number): number;
  startOf(index: number): number;
};

function stepsOf(interval: Interval, timezone: string): Steps {
  if (interval === 'minute') return equal(MINUTE_MS);
  return interval === 'hour' ? equal(HOUR_MS) : localDates(interval, timezone);
}

function equal(lengthMs: number): Steps {
  return { indexOf: (ms) => Math.floor(ms / lengthMs), startOf: (index) => index * lengthMs };
}

type DatedInterval = Exclude<Interval, 'minute' | 'hour'>;

/** A date is the midnight of UTC that has the same date. */
const DATES: Readonly<
  Record<DatedInterval, { indexOf(date: number): number; dateOf(index: number): number }>
> = {
  day: { indexOf: (date) => date / DAY_MS, dateOf: (index) => index * DAY_MS },
  // 1970 began on a Thursday.
  week: {
    indexOf: (date) => Math.floor((date / DAY_MS + 3) / 7),
    dateOf: (index) => (index * 7 - 3) * DAY_MS,
  },
  month: {
    indexOf: (date) => new Date(date).getUTCFullYear() * 12 + new Date(date).getUTCMonth(),
    dateOf: (index) => Date.UTC(Math.floor(index / 12), index % 12),
  },
};

function localDates(interval: DatedInterval, timezone: string): Steps {
  const dates = DATES[interval];
  const offsetAt = offsetsOf(timezone);
  return {
    indexOf(ms) {
      const local = ms + offsetAt(ms);
      return dates.indexOf(local - (local % DAY_MS));
    },
    startOf: (index) => startOfDate(dates.dateOf(index), offsetAt),
  };
}

/** The first moment at which clocks show the date. Where they skip midnight, that is the moment at which they skip it. */
function startOfDate(date: number, offsetAt: (ms: number) => number): number {
  const candidates = [date - offsetAt(date + DAY_MS), date - offsetAt(date - DAY_MS)];
  const valid = candidates.filter((ms) => ms + offsetAt(ms) >= date);
  return Math.min(...valid);
}

/** The milliseconds by which clocks of the zone are ahead of UTC. */
function offsetsOf(timezone: string): (ms: number) => number {
  if (isUtc(timezone)) return () => 0;
  const clock = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (ms) => {
    const parts = new Map(clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const shown = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const date = Date.UTC(shown('year'), shown('month') - 1, shown('day'));
    const time = Date.UTC(1970, 0, 1, shown('hour'), shown('minute'), shown('second'));
    return date + time - (ms - (ms % 1000));
  };
}
