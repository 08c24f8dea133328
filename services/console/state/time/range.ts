import { windowOf } from './window.ts';

export type Interval = 'hour' | 'day' | 'week' | 'month';

/** The stretch of time that a page shows, in epoch milliseconds. */
export type Range = {
  readonly from: number;
  /** Undefined: until now. */
  readonly to: number | undefined;
  readonly interval: Interval;
  readonly title: string;
};

type Query = Readonly<Record<string, string>>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The longest window of each interval. No chart has many more than 100 points, but a week shows its hours. */
const INTERVALS = [
  { interval: 'hour', longestMs: 7 * DAY_MS },
  { interval: 'day', longestMs: 100 * DAY_MS },
  { interval: 'week', longestMs: 110 * 7 * DAY_MS },
] as const;

/** Not shorter than any bucket of the interval. */
export const LONGEST_MS: Readonly<Record<Interval, number>> = {
  hour: HOUR_MS,
  day: 25 * HOUR_MS,
  week: 7 * DAY_MS + HOUR_MS,
  month: 31 * DAY_MS + HOUR_MS,
};

export function intervalOf(lengthMs: number): Interval {
  return INTERVALS.find(({ longestMs }) => lengthMs <= longestMs)?.interval ?? 'month';
}

/** The range of the URL: `from` and `to`, or else `window`, which begins with a whole hour and has as many buckets as it says. */
export function rangeOf(query: Query, now: number): Range {
  const [from, to] = [Date.parse(query['from'] ?? ''), Date.parse(query['to'] ?? '')];
  if (from < to) return { from, to, interval: intervalOf(to - from), title: 'from – to' };
  const { hours, title } = windowOf(query['window']);
  const interval = intervalOf(hours * HOUR_MS);
  // The current bucket is one of them.
  const length = hours * HOUR_MS - (interval === 'hour' ? HOUR_MS : DAY_MS);
  return { from: now - length, to: undefined, interval, title };
}

/** 2026-11-22T09:00Z, for the URL. */
export function formatMinute(time: number): string {
  return `${new Date(time).toISOString().slice(0, 16)}Z`;
}
